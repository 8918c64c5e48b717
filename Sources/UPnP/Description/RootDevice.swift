/// A root device: the contents of its description, and its services.
public struct RootDevice: Sendable {
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
  /// What the paths of the services and icons begin with; `/UDN` unless it is changed.
  public var basePath: String
  /// The path of the description; `/UDN/device.xml` unless it is changed.
  public var descriptionPath: String

  public init(
    domain: String = "schemas-upnp-org", type: String, version: Int, udn: String, friendlyName: String,
    manufacturer: String, manufacturerURL: String? = nil, modelDescription: String? = nil, modelName: String,
    modelNumber: String? = nil, modelURL: String? = nil, serialNumber: String? = nil,
    icons: [DeviceIcon] = [],
    presentationPath: String? = nil, extraElements: String = "", services: [any ServiceProvider]
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
    basePath = "/\(udn)"
    descriptionPath = "/\(udn)/device.xml"
  }

  /// The full device type, for example `urn:schemas-upnp-org:device:MediaRenderer:1`.
  public var deviceType: String { "urn:\(domain):device:\(type):\(version)" }
}

/// An icon with its bytes.
public struct DeviceIcon: Sendable, Hashable {
  /// The MIME type, for example `image/png`.
  public var mimeType: String
  public var width: Int
  public var height: Int
  public var depth: Int
  public var bytes: [UInt8]

  public init(mimeType: String, width: Int, height: Int, depth: Int, bytes: [UInt8]) {
    self.mimeType = mimeType
    self.width = width
    self.height = height
    self.depth = depth
    self.bytes = bytes
  }
}
