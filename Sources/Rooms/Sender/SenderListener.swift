/// Somebody who has joined: a receiver, or the whole group of a multicast stream. Pure; times are nanoseconds of the
/// monotonic clock.
struct SenderListener: Sendable {
  /// Who isn't heard of for this long is forgotten.
  static let patience: Int64 = 10_000_000_000
  /// The same frame isn't sent again sooner.
  private static let resendPause: Int64 = 20_000_000

  let endpoint: IPv4Endpoint
  var expires: Int64
  /// A receiver joins every 300 ms until it has heard all of the answer.
  private var answers = AnswerLimit(perSecond: 10)
  /// A receiver that has lost half a second asks for 20 frames every 30 ms.
  private var repairs = AnswerLimit(perSecond: 400)
  /// The number and time of the frame that was sent again last, by its place in the history.
  private var resent: [(frame: UInt32, at: Int64)?] = []

  init(_ endpoint: IPv4Endpoint, at now: Int64) {
    self.endpoint = endpoint
    expires = now &+ Self.patience
  }

  mutating func renew(at now: Int64) { expires = now &+ Self.patience }

  mutating func mayBeAnswered(at now: Int64) -> Bool { answers.allows(at: now) }

  /// Whether it gets `frame` again, which is then noted.
  mutating func mayHaveAgain(_ frame: UInt32, place: Int, at now: Int64) -> Bool {
    if resent.isEmpty { resent = Array(repeating: nil, count: FrameHistory.most) }
    if let last = resent[place], last.frame == frame, now &- last.at < Self.resendPause { return false }
    guard repairs.allows(at: now) else { return false }
    resent[place] = (frame, now)
    return true
  }

  mutating func forgetRepairs() { resent.removeAll(keepingCapacity: true) }
}
