import NIOCore

/// A series of messages of one kind, sent in order.
struct AnnouncementSeries: Sendable, Hashable {
  var kind: SSDPMessage.Kind
  var entries: [Advertisement]
  var bootID: Int
  /// Delay before the first message.
  var pause = TimeAmount.zero
  /// Delay between messages.
  var spacing: TimeAmount
}

/// The messages still to be sent at one endpoint, and their times.
struct AnnouncementQueue: Sendable {
  private var series: [AnnouncementSeries] = []
  private var position = 0
  private var due = NIODeadline.distantPast
  /// When each root device is announced again.
  private(set) var refreshes: [NIODeadline] = []

  var isEmpty: Bool { series.isEmpty }

  var nextDeadline: NIODeadline? { series.isEmpty ? refreshes.min() : due }

  /// Replaces all pending messages with `series`; with an empty list, nothing more is sent.
  mutating func replace(with series: [AnnouncementSeries], now: NIODeadline) {
    self.series = series.filter { !$0.entries.isEmpty }
    position = 0
    due = now + (self.series.first?.pause ?? .zero)
  }

  mutating func setRefreshes(_ refreshes: [NIODeadline]) { self.refreshes = refreshes }

  /// Adds the messages of a device whose refresh is due by `now`; `renew` returns them and the time of the next
  /// refresh.
  mutating func refresh(
    now: NIODeadline, _ renew: (_ device: Int) -> (series: [AnnouncementSeries], next: NIODeadline)
  ) {
    guard series.isEmpty, let device = refreshes.firstIndex(where: { $0 <= now }) else { return }
    let (series, next) = renew(device)
    refreshes[device] = next
    replace(with: series, now: now)
  }

  /// Takes the next message if it is due. Even if it is late, the following message keeps its full spacing.
  mutating func next(now: NIODeadline) -> (series: AnnouncementSeries, entry: Advertisement)? {
    guard let current = series.first, due <= now else { return nil }
    let entry = current.entries[position]
    position += 1
    due = now + current.spacing
    if position == current.entries.count {
      series.removeFirst()
      position = 0
      if let following = series.first { due = now + max(following.pause, current.spacing) }
    }
    return (current, entry)
  }
}
