import Network

/// Both ends of a connection.
public struct Peer: Sendable, Hashable {
  public var remote: IPAddress
  public var local: IPAddress
  public var localPort: Int
  /// The interface of the connection, if an address is ambiguous without it; otherwise nil.
  public var scope: Int?

  public init(remote: IPAddress, local: IPAddress, localPort: Int, scope: Int? = nil) {
    self.remote = remote
    self.local = local
    self.localPort = localPort
    self.scope = scope
  }
}
