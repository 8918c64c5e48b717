/// The stream that a ``ReceiverMachine`` has joined, and how far it has come. Times are nanoseconds of the monotonic clock.
struct ReceiverStream: Sendable {
  var address: StreamAddress
  var order = FrameOrder()
  var trackSequence: UInt32?
  var metatext: String?
  /// When to send Join again; nil once the sender has answered.
  var join: Int64?
  var joins = 0
  var listen: Int64
  /// When to ask for missing frames; nil while none are.
  var resend: Int64?
  /// The last sound came then; nil while silent.
  var sound: Int64?
  /// The last sound that came from the sender itself did then; nil: none has.
  var direct: Int64?
  /// The next frame begins anew.
  var isHalted = true
  var slaves: [IPv4Endpoint] = []

  /// After so long without sound from the sender itself, another receiver may pass it on.
  private static let directPatience: Int64 = 200_000_000

  /// Whether sound from `source` is the sender's. Another receiver may pass it on; but while the sender itself sends, nobody
  /// else is heard.
  mutating func believes(_ source: IPv4Endpoint, at now: Int64) -> Bool {
    guard case .unicast(let sender) = address else { return true }
    if source.address == sender.address {
      direct = now
      return true
    }
    return direct.map { now &- $0 > Self.directPatience } ?? true
  }
}
