/// Limits log lines of each kind, so that an event that others can repeat doesn't fill the disk. Pure.
///
/// A kind may be logged ``most`` times a minute. Further lines are counted and summarized at the end of the minute,
/// with the last of them. In the minute after a summary, lines aren't logged at once but summarized again: one line a
/// minute for as long as the flood lasts. After a minute with at most ``most`` lines, they are logged at once again.
///
/// A kind is a place in our code; it never depends on data from others.
struct LogRateLimiter<Line: Sendable>: Sendable {
  /// The lines of a kind that are logged in a minute: enough for a user who keeps changing songs to see each.
  static var most: Int { 20 }
  static var minute: Duration { .seconds(60) }
  /// The most kinds that are counted separately; further ones share one account. There are fewer in practice.
  static var mostKinds: Int { 256 }

  struct Kind: Sendable, Hashable {
    var file: String
    var line: UInt
    /// Distinguishes several subjects of one place in the code; from a small set of values.
    var subject = ""
  }

  /// A summary of lines that were held back.
  struct Summary: Sendable {
    /// The number of lines that were held back.
    var count: Int
    var last: Line
    /// The time between the first line of the minute and now.
    var time: Duration
  }

  private struct Account: Sendable {
    /// The beginning of the minute.
    var beginning: Duration
    var isFlood = false
    var seen = 0
    var heldBack = 0
    var last: Line?
  }

  private var accounts: [Kind: Account] = [:]
  /// When the next summary is due; nil when no lines are held back.
  private(set) var nextDue: Duration?

  /// Counts `line`; true when it is to be logged now. Call ``due(now:)`` first.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - kind: The place in the code.
  ///   - now: The time of any monotonic clock.
  mutating func mayWrite(_ line: Line, of kind: Kind, now: Duration) -> Bool {
    let isKnown = accounts[kind] != nil || accounts.count < Self.mostKinds
    let kind = isKnown ? kind : Kind(file: "", line: 0)
    var account = accounts[kind] ?? Account(beginning: now)
    if account.heldBack == 0, now - account.beginning >= Self.minute { account = Account(beginning: now) }
    defer { accounts[kind] = account }
    account.seen += 1
    guard account.isFlood || account.seen > Self.most else { return true }
    account.heldBack += 1
    account.last = line
    nextDue = min(nextDue ?? .seconds(Int64.max), account.beginning + Self.minute)
    return false
  }

  /// Returns the summaries that are due, oldest first; with `all` also those that aren't due yet.
  mutating func due(now: Duration, all: Bool = false) -> [Summary] {
    guard let nextDue, all || nextDue <= now else { return [] }
    var summaries: [Summary] = []
    self.nextDue = nil
    for (kind, account) in accounts.sorted(by: { $0.value.beginning < $1.value.beginning }) {
      guard let last = account.last else { continue }
      if all || now - account.beginning >= Self.minute {
        summaries.append(Summary(count: account.heldBack, last: last, time: now - account.beginning))
        accounts[kind] = Account(beginning: now, isFlood: account.seen > Self.most)
      } else {
        self.nextDue = min(self.nextDue ?? .seconds(Int64.max), account.beginning + Self.minute)
      }
    }
    return summaries
  }
}
