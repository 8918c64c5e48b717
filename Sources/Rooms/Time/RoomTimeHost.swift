/// The host's side of the room time: who is answered, and with what. Pure.
///
/// The room time is this host's monotonic clock and a random constant, so that it doesn't tell how long the machine runs.
public struct RoomTimeHost: Sendable {
  /// A member that has asked lately.
  public struct Member: Equatable, Sendable {
    public var address: UInt32
    /// What it said last.
    public var report: RoomReport
    /// When it did, in nanoseconds of the monotonic clock.
    public var heard: Int64
    fileprivate var answers = AnswerLimit(perSecond: 20)
  }

  private static let mostMembers = 64
  private static let patience: Int64 = 10_000_000_000

  /// Room time less monotonic time, in nanoseconds.
  public let offset: Int64
  private var known: [Member] = []
  /// Any second has at most twice as many, since as many may go at once.
  private var answers = AnswerLimit(perSecond: 200)

  public init(random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
    var random = random
    offset = Int64.random(in: (1 << 50)...(1 << 60), using: &random)
  }

  /// Those that have asked in the 10 s before the last question or call of ``forget(at:)``.
  public var members: [Member] { known }

  /// The answer to send, or nil.
  ///
  /// - Parameters:
  ///   - datagram: as it came.
  ///   - arrival: when it came, by the kernel's stamp, in nanoseconds of the monotonic clock.
  ///   - t3: now, by the same clock.
  ///   - isMember: whether the address has joined the stream, and may.
  ///   - anchor: with ``RoomAnchor/heard`` by the same clock.
  public mutating func reply(
    to datagram: ArraySlice<UInt8>, from source: IPv4Endpoint, arrival t2: Int64, at t3: Int64,
    isMember: Bool, anchor: RoomAnchor
  ) -> [UInt8]? {
    guard isMember, let request = RoomTimeRequest(datagram) else { return nil }
    forget(at: t3)
    guard spend(for: source.address, at: t3, saying: request.report) else { return nil }
    var anchor = anchor
    anchor.heard = anchor.heard.map { $0 &+ offset }
    let reply = RoomTimeReply(
      nonce: request.nonce, t2: min(t2, t3) &+ offset, t3: t3 &+ offset, anchor: anchor)
    return reply.bytes
  }

  /// Forgets those that haven't asked for 10 s.
  public mutating func forget(at now: Int64) {
    known.removeAll { now &- $0.heard > Self.patience }
  }

  /// Whether one more answer may go to `address`: any second has at most 40 of them, and 400 to all.
  private mutating func spend(for address: UInt32, at now: Int64, saying report: RoomReport) -> Bool {
    let index = known.firstIndex { $0.address == address } ?? known.count
    if index == known.count {
      guard known.count < Self.mostMembers else { return false }
      known.append(Member(address: address, report: report, heard: now))
    }
    guard known[index].answers.allows(at: now), answers.allows(at: now) else { return false }
    (known[index].report, known[index].heard) = (report, now)
    return true
  }
}
