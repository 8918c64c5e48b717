import Network

/// The remote end of a client's connection.
package struct HTTPEndpoint: Sendable, Hashable {
  package var address: IPAddress
  package var port: Int
  /// Index of the interface, for link-local addresses.
  package var interface: Int?

  package init(address: IPAddress, port: Int, interface: Int?) {
    self.address = address
    self.port = port
    self.interface = interface
  }
}
