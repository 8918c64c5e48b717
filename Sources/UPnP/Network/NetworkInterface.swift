/// An address of an interface with the length of its network prefix.
public struct InterfaceAddress: Sendable, Hashable {
  public var address: IPAddress
  public var prefixLength: Int

  public init(address: IPAddress, prefixLength: Int) {
    self.address = address
    self.prefixLength = prefixLength
  }
}

/// One network interface as the kernel shows it at one moment.
public struct NetworkInterface: Sendable, Hashable {
  /// The kernel's interface index.
  public var index: Int
  /// `eth0`
  public var name: String
  public var addresses: [InterfaceAddress]
  /// Administratively up and with a carrier.
  public var isRunning: Bool
  public var isLoopback: Bool

  public init(
    index: Int, name: String, addresses: [InterfaceAddress], isRunning: Bool, isLoopback: Bool
  ) {
    self.index = index
    self.name = name
    self.addresses = addresses
    self.isRunning = isRunning
    self.isLoopback = isLoopback
  }
}
