/// A member's side of the room time: asks the host, and learns from the answers. One for each address of a sender. Pure.
///
/// Times are nanoseconds of this host's monotonic clock.
public struct RoomTimeAsker: Sendable {
  public enum Verdict: Equatable, Sendable {
    /// It has been asked, and hasn't answered yet.
    case undecided
    /// Another maker's sender: it has no room time. It may still turn out to have one.
    case foreign
    /// It has answered.
    case speaks
  }

  private static let millisecond: Int64 = 1_000_000
  private static let mostNonces = 16
  /// What comes later isn't an answer any more.
  private static let longest = 2000 * millisecond
  /// So many requests follow each other fast once the host has answered.
  private static let fastRequests = 16
  private static let tries = 2
  private static let requestsOfATry = 3

  public private(set) var verdict = Verdict.undecided
  public private(set) var clock: RoomClock
  /// What the host has said last.
  public private(set) var anchor: RoomAnchor?
  /// What the next requests say. ``RoomReport/halfWidth`` is filled in.
  public var report = RoomReport()
  /// When ``timePassed(at:)`` is to be called; nil while nothing is to be asked.
  public private(set) var deadline: Int64?

  private var random: any RandomNumberGenerator & Sendable
  private var nonces: [(nonce: UInt64, sent: Int64)] = []
  /// Requests of this try, or fast ones.
  private var requests = 0
  private var triesBegun = 0
  /// When the request was sent whose answer came last; the anchor is its.
  private var newest: Int64 = .min
  /// The last answer came then.
  private var heard: Int64 = .min
  /// The time was needed then, for sound.
  private var wanted: Int64 = 0
  /// When nothing has been played for so long, the time is asked for once a second.
  private static let idleAfter = 30_000 * millisecond

  /// - Parameter rate: how much faster the host's clock ran when it was last asked, as a fraction.
  public init(
    rate: Double?, random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    clock = RoomClock(rate: rate)
    self.random = random
  }

  /// Begins to ask. To be called when the sender has said what it plays: it knows then that we have joined.
  public mutating func start(at now: Int64) {
    guard triesBegun == 0 else { return }
    triesBegun = 1
    deadline = now
  }

  /// The request to send now, if one is due. `now` is taken as the time at which it goes.
  ///
  /// Three requests, 100 ms apart: if none of them is answered, the sender is ``Verdict/foreign``, and is tried once more 10 s
  /// later. After the first answer 16 requests follow 20 ms apart, then one each 100 ms; one each second while nothing comes, and
  /// while nothing is played.
  public mutating func timePassed(at now: Int64) -> [UInt8]? {
    guard let due = deadline, due <= now else { return nil }
    if verdict != .speaks {
      if requests >= Self.requestsOfATry {
        beForeign(at: now)
        return nil
      }
      requests += 1
      deadline = now &+ 100 * Self.millisecond
    } else {
      requests = min(requests + 1, Self.fastRequests)
      if report.state != .ready { wanted = now }
      let isGone = now &- heard > 10_000 * Self.millisecond
      let isIdle = now &- wanted > Self.idleAfter
      let pause: Int64 = requests < Self.fastRequests && !isGone ? 20 : isGone || isIdle ? 1000 : 100
      deadline = now &+ pause * Self.millisecond
    }
    return request(at: now)
  }

  /// Sound begins: the time is needed now.
  public mutating func soundBegins(at now: Int64) {
    guard verdict == .speaks else { return }
    if now &- wanted > Self.idleAfter {
      requests = 0
      deadline = now
    }
    wanted = now
  }

  /// The host has said that nobody listens at the port.
  public mutating func refused(at now: Int64) {
    guard deadline != nil else { return }
    switch verdict {
    case .undecided: beForeign(at: now)
    // A host that is beginning again.
    case .speaks: deadline = now &+ 1000 * Self.millisecond
    case .foreign: if requests > 0 { beForeign(at: now) }
    }
  }

  /// - Parameters:
  ///   - datagram: from the host's address and port.
  ///   - arrival: when it came, by the kernel's stamp.
  public mutating func receive(_ datagram: ArraySlice<UInt8>, arrival: Int64, at now: Int64) {
    guard let reply = RoomTimeReply(datagram),
      let index = nonces.firstIndex(where: { $0.nonce == reply.nonce })
    else { return }
    let sent = nonces.remove(at: index).sent
    let t4 = min(arrival, now)
    guard t4 >= sent, now &- sent <= Self.longest, reply.t3 >= reply.t2 else { return }
    if verdict != .speaks {
      verdict = .speaks
      requests = 0
      deadline = now
      wanted = now
    }
    heard = now
    let restarts = clock.restarts
    clock.add(t1: sent, t2: reply.t2, t3: reply.t3, t4: t4)
    if clock.restarts != restarts {
      // Fast again, until it is known anew.
      requests = 0
      deadline = min(deadline ?? now, now &+ 20 * Self.millisecond)
    }
    if sent > newest {
      newest = sent
      anchor = reply.anchor
    }
  }

  private mutating func request(at now: Int64) -> [UInt8] {
    let nonce = UInt64.random(in: 0...(.max), using: &random)
    if nonces.count >= Self.mostNonces { nonces.removeFirst() }
    nonces.append((nonce, now))
    var report = report
    report.halfWidth = UInt32(clamping: clock.halfWidth / 1000)
    return RoomTimeRequest(nonce: nonce, report: report).bytes
  }

  /// This try has failed.
  private mutating func beForeign(at now: Int64) {
    verdict = .foreign
    requests = 0
    guard triesBegun < Self.tries else {
      deadline = nil
      return
    }
    triesBegun += 1
    deadline = now &+ 10_000 * Self.millisecond
  }
}
