/// A device: the contents of its description, its services, and the devices embedded in it.
public struct Device: Sendable {
  /// The domain of the device type: `schemas-upnp-org`.
  public var domain: String
  /// The device type without domain and version: `MediaRenderer`.
  public var type: String
  public var version: Int
  /// The UDN without its `uuid:` prefix.
  public var udn: String
  /// The name that control points show: less than 64 characters, not yet escaped (like all strings here).
  public var friendlyName: String
  public var manufacturer: String
  public var manufacturerURL: String?
  public var modelDescription: String?
  public var modelName: String
  public var modelNumber: String?
  public var modelURL: String?
  public var serialNumber: String?
  public var icons: [DeviceIcon]
  /// Absolute path of the status page on this host's HTTP server; nil for none.
  public var presentationPath: String?
  /// Further elements of the device, as XML that is inserted verbatim (`<dlna:X_DLNADOC …>`).
  public var extraElements: String
  public var services: [any ServiceProvider]
  /// The embedded devices, each with a UDN of its own.
  public var devices: [Device]
  /// What the paths of the icons and services begin with; `/UDN` unless it is changed.
  public var basePath: String
  /// The paths of the services; nil for those below ``basePath``.
  public var servicePaths: ServicePaths?

  public init(
    domain: String = "schemas-upnp-org", type: String, version: Int, udn: String, friendlyName: String,
    manufacturer: String, manufacturerURL: String? = nil, modelDescription: String? = nil, modelName: String,
    modelNumber: String? = nil, modelURL: String? = nil, serialNumber: String? = nil,
    icons: [DeviceIcon] = [], presentationPath: String? = nil, extraElements: String = "",
    services: [any ServiceProvider], devices: [Device] = []
  ) {
    self.domain = domain
    self.type = type
    self.version = version
    self.udn = udn
    self.friendlyName = friendlyName
    self.manufacturer = manufacturer
    self.manufacturerURL = manufacturerURL
    self.modelDescription = modelDescription
    self.modelName = modelName
    self.modelNumber = modelNumber
    self.modelURL = modelURL
    self.serialNumber = serialNumber
    self.icons = icons
    self.presentationPath = presentationPath
    self.extraElements = extraElements
    self.services = services
    self.devices = devices
    basePath = "/\(udn)"
  }

  /// The full device type, for example `urn:schemas-upnp-org:device:MediaRenderer:1`.
  public var deviceType: String { "urn:\(domain):device:\(type):\(version)" }

  /// This device and all devices embedded in it, in the order of the description.
  var all: [Device] { [self] + devices.flatMap(\.all) }

  /// Returns the paths where the host serves a service.
  func paths(of service: any ServiceProvider) -> ServicePaths {
    (servicePaths ?? ServicePaths(below: basePath)).named(service.identity.name)
  }

  /// The path where the host serves `icon`: `/UDN/icon-48.png`.
  public func path(of icon: DeviceIcon) -> String {
    if let path = icon.path { return path }
    let kind = icon.mimeType.split(separator: "/").last.map(String.init) ?? "png"
    return "\(basePath)/icon-\(icon.width).\(kind == "jpeg" ? "jpg" : kind)"
  }
}
