/// The properties of a root device that discovery needs.
public struct AdvertisedDevice: Sendable, Hashable {
  /// The UDN without its `uuid:` prefix.
  public var udn: String
  /// The domain of the device type: `schemas-upnp-org`.
  public var domain: String
  /// The device type without domain and version: `MediaRenderer`.
  public var type: String
  public var version: Int
  public var services: [ServiceIdentity]
  /// Absolute path of the device description on this host's HTTP server.
  public var descriptionPath: String

  public init(
    udn: String, domain: String, type: String, version: Int, services: [ServiceIdentity],
    descriptionPath: String
  ) {
    self.udn = udn
    self.domain = domain
    self.type = type
    self.version = version
    self.services = services
    self.descriptionPath = descriptionPath
  }

  public init(_ device: RootDevice) {
    self.init(
      udn: device.udn, domain: device.domain, type: device.type, version: device.version,
      services: device.services.map(\.identity), descriptionPath: device.descriptionPath)
  }
}
