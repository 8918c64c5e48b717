import NIOCore

/// A set of messages of one kind that leaves in order, one after the other.
struct AnnouncementSeries: Sendable, Hashable {
  var kind: SSDPMessage.Kind
  var entries: [Advertisement]
  var bootID: Int
  var configID: Int
  /// Wait before the first message.
  var pause = TimeAmount.zero
  /// Wait between messages.
  var spacing: TimeAmount
}

/// What is still to be said at one endpoint, and when.
struct AnnouncementQueue: Sendable {
  private var series: [AnnouncementSeries] = []
  private var position = 0
  private var due = NIODeadline.distantPast
  /// When each root device is announced again.
  private(set) var refreshes: [NIODeadline] = []

  var isEmpty: Bool { series.isEmpty }

  var nextDeadline: NIODeadline? { series.isEmpty ? refreshes.min() : due }

  /// Puts `series` in the place of everything that was still to be said; an empty list says nothing more.
  mutating func replace(with series: [AnnouncementSeries], now: NIODeadline) {
    self.series = series.filter { !$0.entries.isEmpty }
    position = 0
    due = now + (self.series.first?.pause ?? .zero)
  }

  mutating func setRefreshes(_ refreshes: [NIODeadline]) { self.refreshes = refreshes }

  /// Adds what is due again by `now`; `renew` makes its messages and the next time.
  mutating func refresh(
    now: NIODeadline, _ renew: (_ device: Int) -> (series: [AnnouncementSeries], next: NIODeadline)
  ) {
    guard series.isEmpty, let device = refreshes.firstIndex(where: { $0 <= now }) else { return }
    let (series, next) = renew(device)
    refreshes[device] = next
    replace(with: series, now: now)
  }

  /// Takes the next message if its time has come. However late it is, the one behind it keeps its distance.
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
