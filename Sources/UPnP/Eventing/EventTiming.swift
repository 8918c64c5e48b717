import NIOCore

/// Decides when the changes of one service may be sent: immediately, and then not for a while (moderation).
///
/// Changes of the leading variable bypass moderation, unless its value is probably transient.
struct EventTiming: Sendable {
  /// A transient value that lasts this long is sent.
  static let patience = TimeAmount.milliseconds(50)
  /// The longest wait: after this time the current value is sent, however often transient values follow each other.
  static let longestWait = TimeAmount.milliseconds(80)
  /// If the leading variable changes all the time, this many events are sent at once, then one every 80 ms.
  private static let burst = 24.0

  private let interval: TimeAmount
  private let leading: LeadingVariable?
  /// Changes of other variables wait until this time.
  private var quietUntil = NIODeadline.uptimeNanoseconds(0)
  private var bucket: TokenBucket
  /// The last value read of the leading variable.
  private var lastRead: (value: String, since: NIODeadline)?
  /// Since when the value last sent to some subscriber has differed from the current one.
  private var differsSince: NIODeadline?
  /// When to read the waiting values again; nil while none wait.
  private(set) var wake: NIODeadline?

  init(interval: TimeAmount, leading: LeadingVariable?) {
    self.interval = interval
    self.leading = leading
    bucket = TokenBucket(
      capacity: Self.burst, rate: 1e9 / Double(Self.longestWait.nanoseconds), now: .uptimeNanoseconds(0))
  }

  /// False when nothing may be sent whatever the values are, so that they needn't be read.
  mutating func mayRead(now: NIODeadline) -> Bool {
    guard leading == nil else { return true }
    wake = now < quietUntil ? quietUntil : nil
    return wake == nil
  }

  /// True when the values may be sent now.
  ///
  /// - Parameters:
  ///   - value: the current value of the leading variable.
  ///   - sent: the values of the leading variable that subscribers may have been sent.
  mutating func maySend(_ value: String?, sent: Set<String>, now: NIODeadline) -> Bool {
    var due = quietUntil
    if let value, let leading {
      if lastRead?.value != value { lastRead = (value, now) }
      let others = sent.subtracting([value])
      differsSince = others.isEmpty ? nil : differsSince ?? now
      if let differsSince {
        let isPassing = leading.isPassing(value, after: others)
        let patient = min((lastRead?.since ?? now) + Self.patience, differsSince + Self.longestWait)
        due = max(isPassing ? patient : now, bucket.time(of: 1, now: now))
        if due <= now { bucket.take(1, now: now) }
      }
    }
    wake = due > now ? due : nil
    return wake == nil
  }

  /// Called when everything has been sent, so nothing waits any more.
  mutating func settle() {
    wake = nil
    differsSince = nil
  }

  /// Starts a moderation window, in which further changes are merged.
  mutating func startWindow(now: NIODeadline) { quietUntil = now + interval }

  /// Called when there are no subscribers any more.
  mutating func forget() {
    settle()
    lastRead = nil
  }
}
