/// Settings of discovery.
public struct DiscoveryConfiguration: Sendable, Hashable {
  /// TTL (hop limit) of announcements, 1…255.
  public var ttl: Int
  /// Seconds that an announcement is valid; at least 60.
  public var maxAge: Int
  /// False disables the IPv6 groups and sockets.
  public var ipv6: Bool
  /// The SERVER header, for example `Linux/6.1 UPnP/1.1 Product/1.0`.
  public var serverToken: String

  public init(ttl: Int = 2, maxAge: Int = 1800, ipv6: Bool = true, serverToken: String) {
    self.ttl = min(max(ttl, 1), 255)
    self.maxAge = max(maxAge, 60)
    self.ipv6 = ipv6
    self.serverToken = serverToken
  }
}
