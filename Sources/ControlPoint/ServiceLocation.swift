import Network

/// Where a service of somebody else's device is, and which one it is.
public struct ServiceLocation: Sendable, Hashable {
  /// The UDN of its device, without `uuid:`.
  public var udn: String
  /// The type as the description gives it: `urn:schemas-upnp-org:service:AVTransport:1`.
  public var type: String
  /// `urn:upnp-org:serviceId:AVTransport`
  public var id: String
  public var control: ServiceAddress
  /// Nil for a service without events.
  public var events: ServiceAddress?
  /// Where its service description is; nil if the device names none.
  public var description: ServiceAddress?
  /// The BOOTID that its device announced last; nil when it was found by a URL alone, or by announcements without one.
  public var bootID: Int?

  public init(
    udn: String, type: String, id: String, control: ServiceAddress, events: ServiceAddress? = nil,
    description: ServiceAddress? = nil, bootID: Int? = nil
  ) {
    self.udn = udn
    self.type = type
    self.id = id
    self.control = control
    self.events = events
    self.description = description
    self.bootID = bootID
  }
}

/// An `http` URL whose host is a literal address, taken apart.
public struct ServiceAddress: Sendable, Hashable {
  public var address: IPAddress
  public var port: Int
  /// Index of the interface, for link-local IPv6 addresses.
  public var interface: Int?
  /// Path and query, as they are sent.
  public var target: String

  public init(address: IPAddress, port: Int, interface: Int? = nil, target: String) {
    self.address = address
    self.port = port
    self.interface = interface
    self.target = target
  }
}
