/// A root device as discovery sees it.
public struct AdvertisedDevice: Sendable, Hashable {
  /// Unique device name without the `uuid:` in front.
  public var udn: String
  /// `schemas-upnp-org`
  public var domain: String
  /// `MediaRenderer`
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
