import XML

/// The description of a device of somebody else (UPnP Device Architecture, "Description"), as read from its document.
///
/// Strings are as sent, without space at their ends. ``DeviceDescriptionXML`` writes the description of a device of ours.
public struct DeviceDescription: Sendable, Hashable {
  /// `urn:schemas-upnp-org:device:MediaServer:1`
  public var deviceType: String
  /// The UDN without its `uuid:` prefix.
  public var udn: String
  public var friendlyName = ""
  public var manufacturer = ""
  public var manufacturerURL: String?
  public var modelDescription = ""
  public var modelName = ""
  public var modelNumber = ""
  public var modelURL: String?
  public var serialNumber = ""
  public var presentationURL: String?
  public var icons: [Icon] = []
  public var services: [Service] = []
  /// The embedded devices.
  public var devices: [DeviceDescription] = []

  public struct Icon: Sendable, Hashable {
    public var mimeType: String
    /// In pixels; 0 when it isn't known.
    public var width: Int
    public var height: Int
    public var url: String
  }

  public struct Service: Sendable, Hashable {
    /// `urn:schemas-upnp-org:service:ContentDirectory:1`
    public var type: String
    public var id: String
    public var scpdURL: String?
    public var controlURL: String
    /// nil for a service without events.
    public var eventURL: String?
  }
}

/// A whole description document.
public struct RootDescription: Sendable, Hashable {
  public var device: DeviceDescription
  /// What URLs in the document are relative to, if it isn't the document's own URL.
  public var base: String?
  public var configID: Int?

  /// Returns the absolute form of a URL of this document, which was read from `location`.
  public func resolved(_ url: String, location: String) -> String? {
    let base = base.flatMap { URIReference.resolved($0, against: location) }
    return URIReference.resolved(url, against: base ?? location)
  }
}
