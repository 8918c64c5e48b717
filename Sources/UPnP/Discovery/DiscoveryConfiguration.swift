/// Settings of discovery.
struct DiscoveryConfiguration: Sendable, Hashable {
  /// TTL (hop limit) of announcements, 1…255.
  let ttl: Int
  /// Seconds that an announcement is valid; at least 60.
  let maxAge: Int
  /// False disables the IPv6 groups and sockets.
  let ipv6: Bool

  init(ttl: Int = 2, maxAge: Int = 1800, ipv6: Bool = true) {
    self.ttl = min(max(ttl, 1), 255)
    self.maxAge = max(maxAge, 60)
    self.ipv6 = ipv6
  }
}
