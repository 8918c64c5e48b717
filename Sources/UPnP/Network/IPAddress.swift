/// An IPv4 or IPv6 address, without port and scope.
public enum IPAddress: Sendable, Hashable {
  case v4(UInt32)
  /// The upper and the lower 64 bits.
  case v6(UInt64, UInt64)
}
