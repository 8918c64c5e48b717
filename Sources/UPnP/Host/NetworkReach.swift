import Network

/// The interfaces that a device server uses now.
public struct NetworkReach: Sendable, Hashable {
  /// Those that are served, with all their addresses.
  public var served: [NetworkInterface]
  /// Those that are announced, each with the addresses that are announced.
  public var announced: [NetworkInterface]
  /// Those that are served only if they are named: only containers and virtual machines of this host are behind them.
  public var leftOut: [NetworkInterface]
}
