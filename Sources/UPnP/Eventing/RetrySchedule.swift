import NIOCore
import Network

/// The times at which unreachable subscribers that are owed the current state are retried.
///
/// There is at most one entry per subscription, and no timer while there is none.
struct RetrySchedule: Sendable {
  /// The shortest time from one try to the next.
  ///
  /// A sign of life from a subscriber, or a state change, brings its next try forward to this time after the last one.
  /// Values that change by time alone, such as a position, only bring it forward to a quarter of the back-off: an absent
  /// subscriber is retried ever more rarely while nobody does anything.
  static let shortestPause = TimeAmount.seconds(1)
  private static let longestPause = 30

  private struct Entry: Sendable {
    var address: IPAddress
    /// When the last try ended.
    var tried: NIODeadline
    var due: NIODeadline
    /// The back-off from the last try to the next, if nothing happens.
    var pause: TimeAmount
    /// Failed tries in a row, without local failures.
    var failures: Int
  }

  private var entries: [SID: Entry] = [:]
  /// No entry is due before this time.
  private var nearest = NIODeadline.distantFuture

  /// When the next retry is due; nil while there are no entries.
  var nextWake: NIODeadline? { entries.isEmpty ? nil : nearest }

  /// Schedules the next try for `sid`, after 1, 2, 4 … 30 seconds.
  ///
  /// - Parameters:
  ///   - tries: tries in a row that didn't reach it, including the last one.
  ///   - failures: those of them that weren't local failures.
  mutating func add(_ sid: SID, of address: IPAddress, tries: Int, failures: Int, now: NIODeadline) {
    let pause = TimeAmount.seconds(Int64(min(1 << min(max(tries - 1, 0), 5), Self.longestPause)))
    entries[sid] = Entry(address: address, tried: now, due: now + pause, pause: pause, failures: failures)
    nearest = min(nearest, now + pause)
  }

  /// Brings a retry forward because there is a change to send to `sid`.
  mutating func stateChanged(for sid: SID, byTimeAlone: Bool) {
    guard let entry = entries[sid] else { return }
    let quarter = TimeAmount.nanoseconds(entry.pause.nanoseconds / 4)
    hasten(sid, to: byTimeAlone ? max(Self.shortestPause, quarter) : Self.shortestPause)
  }

  /// Brings a retry forward because of a sign of life from `sid`.
  mutating func hasten(_ sid: SID) { hasten(sid, to: Self.shortestPause) }

  /// Brings retries forward because a subscriber at `address` was reached.
  mutating func hasten(allOf address: IPAddress) {
    for (sid, entry) in entries where entry.address == address { hasten(sid) }
  }

  /// Brings all retries forward because our own network is back.
  mutating func hastenAll() {
    for sid in entries.keys { hasten(sid) }
  }

  private mutating func hasten(_ sid: SID, to age: TimeAmount) {
    guard let entry = entries[sid] else { return }
    let due = min(entry.due, entry.tried + age)
    entries[sid]?.due = due
    nearest = min(nearest, due)
  }

  /// Returns the subscription with the most failures, of one address or of all, whose place may be given to another.
  ///
  /// Local failures don't count.
  func mostFailed(at address: IPAddress?) -> SID? {
    entries.filter { $0.value.failures > 0 && (address == nil || $0.value.address == address) }
      .max { ($0.value.failures, $1.value.tried) < ($1.value.failures, $0.value.tried) }?.key
  }

  /// Takes the entries that are due, the one that has waited longest first.
  mutating func takeDue(now: NIODeadline) -> [SID] {
    guard nearest <= now else { return [] }
    let due = entries.filter { $0.value.due <= now }.sorted { $0.value.due < $1.value.due }.map(\.key)
    for sid in due { entries[sid] = nil }
    nearest = entries.values.map(\.due).min() ?? .distantFuture
    return due
  }

  mutating func forget(_ sid: SID) { entries[sid] = nil }
}
