/// How this host takes part in discovery.
public struct DiscoveryConfiguration: Sendable, Hashable {
  /// Hops that announcements travel, 1…255.
  public var ttl: Int
  /// Seconds that an announcement is valid; at least 60.
  public var maxAge: Int
  /// False keeps IPv6 groups and sockets closed.
  public var ipv6: Bool
  /// The SERVER header: `Linux/6.1 UPnP/1.1 Product/1.0`.
  public var serverToken: String

  public init(ttl: Int = 2, maxAge: Int = 1800, ipv6: Bool = true, serverToken: String) {
    self.ttl = min(max(ttl, 1), 255)
    self.maxAge = max(maxAge, 60)
    self.ipv6 = ipv6
    self.serverToken = serverToken
  }
}
