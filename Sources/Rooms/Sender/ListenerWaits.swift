/// Which listeners a device that starts waits for, and until when. Pure; times are nanoseconds of the monotonic clock.
///
/// A room that has joined needs some tenths of a second before it knows the time. Foreign receivers never say that they
/// are ready, and aren't waited for.
public struct ListenerWaits: Sendable {
  /// A listener that hasn't asked for the time by then is a foreign one.
  private static let unknown: Int64 = 400_000_000
  private static let longest: Int64 = 2_000_000_000

  /// Of the time in which nobody is waited for, one part in so many may be waited again.
  private static let regain: Int64 = 5

  private var joined: [IPv4Endpoint: Int64] = [:]
  /// For so long rooms may still be waited for: one that joins and leaves all the time doesn't stop the music.
  private var credit = longest
  private var updated: Int64?
  /// When the wait for the last of them is over; nil: for none.
  public private(set) var until: Int64?

  public init() {}

  /// When ``update(_:_:at:)`` is to be called again.
  public var deadline: Int64? { until }

  /// True if ``until`` has changed.
  public mutating func update(
    _ listeners: [IPv4Endpoint], _ members: [RoomTimeHost.Member], at now: Int64
  ) -> Bool {
    joined = joined.filter { listeners.contains($0.key) }
    for listener in listeners where joined[listener] == nil && !listener.isMulticast {
      joined[listener] = now
    }
    let before = until
    let passed = now - (updated ?? now)
    updated = now
    credit = min(max(credit + (before == nil ? passed / Self.regain : -passed), 0), Self.longest)
    let latest = now + credit
    until = joined.compactMap { endpoint, since -> Int64? in
      let member = members.first { $0.address == endpoint.address && $0.heard >= since }
      switch member?.report.state {
      case nil: return since + Self.unknown
      case .joining: return since + Self.longest
      case .ready, .playing, .silent: return nil
      }
    }.max().map { min($0, latest) }
    if let until, until <= now { self.until = nil }
    return until != before
  }
}
