import NIOCore
import Network
import UPnP

/// A device in the network, as its description and its announcements have it.
public struct FoundDevice: Sendable, Hashable {
  /// An icon; `address` is where the picture is.
  public struct Icon: Sendable, Hashable {
    public var mimeType: String
    /// In pixels; 0 when it isn't known.
    public var width: Int
    public var height: Int
    public var address: ServiceAddress
  }

  /// The UDN without its `uuid:` prefix. It stays the same for as long as the device exists.
  public internal(set) var udn: String
  /// `urn:schemas-upnp-org:device:MediaServer:1`
  public internal(set) var type: String
  public internal(set) var friendlyName: String
  public internal(set) var manufacturer: String
  public internal(set) var modelName: String
  public internal(set) var modelNumber: String
  public internal(set) var serialNumber: String
  /// The SERVER field of its announcements; empty when there is none.
  public internal(set) var server: String
  /// What relative addresses in its documents and answers are relative to: the URLBase of its description (UPnP 1.0), or the
  /// description's own URL.
  public internal(set) var base: String
  /// The page for people, as an absolute URL.
  public internal(set) var presentationURL: String?
  public internal(set) var icons: [Icon]
  /// The device's own services; those of embedded devices are with these.
  public internal(set) var services: [ServiceLocation]
  /// Where it is. The first is the one that the description and the services are from.
  public internal(set) var locations: [DeviceLocation]
  /// BOOTID.UPNP.ORG, which changes when the device restarts; nil for a device of UPnP 1.0.
  public internal(set) var bootID: Int?
  /// CONFIGID.UPNP.ORG, which changes with its descriptions; nil for a device of UPnP 1.0.
  public internal(set) var configID: Int?
  /// When it was last heard of: an announcement, a response to a search, or its description.
  public internal(set) var lastSeen: NIODeadline

  /// The first service of a type, in any version.
  ///
  /// - Parameter type: the URN without its version: `urn:schemas-upnp-org:service:AVTransport`.
  public func service(_ type: String) -> ServiceLocation? {
    services.first { DeviceKind.isVersion($0.type, of: type) }
  }

  /// The same at another moment; what is left is what a reader is told of.
  func seen(at moment: NIODeadline) -> FoundDevice {
    var device = self
    device.lastSeen = moment
    return device
  }
}

/// What has become of a device.
public enum DeviceChange: Sendable, Hashable {
  case appeared(FoundDevice)
  /// Its description or its locations are others.
  case updated(FoundDevice)
  /// It has restarted: what it knew of us, such as subscriptions, is gone. Its description may be another.
  case restarted(FoundDevice)
  /// It is silent and doesn't answer.
  case expired(FoundDevice)
  /// It said goodbye.
  case left(FoundDevice)

  /// The device; for one that is gone, as it was last.
  public var device: FoundDevice {
    switch self {
    case .appeared(let device), .updated(let device), .restarted(let device), .expired(let device),
      .left(let device):
      device
    }
  }
}
