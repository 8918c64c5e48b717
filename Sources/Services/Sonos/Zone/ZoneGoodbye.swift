/// When a zone has said that it goes (ssdp:byebye).
public struct ZoneGoodbye: Sendable, Hashable {
  /// For so many seconds Home Assistant doesn't listen to a zone that has said goodbye. What comes back sooner stays unavailable
  /// there for ten minutes.
  private static let pause = 11

  /// Names the run of the machine.
  public var boot: String
  /// Seconds since that run began.
  public var seconds: Int

  public init(boot: String, seconds: Int) {
    self.boot = boot
    self.seconds = seconds
  }

  /// For how many seconds the zone had better not show itself yet.
  ///
  /// - Parameter now: as if the zone said goodbye now.
  public func rest(_ now: ZoneGoodbye) -> Int {
    guard boot == now.boot, seconds >= 0, seconds <= now.seconds, now.seconds - seconds < Self.pause else {
      return 0
    }
    return Self.pause - (now.seconds - seconds)
  }
}
