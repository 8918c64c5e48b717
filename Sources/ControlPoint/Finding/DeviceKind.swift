import UPnP

/// What to look for: devices of a type, devices that have a service, or one device.
public struct DeviceKind: Sendable, Hashable {
  private enum Form: Hashable {
    case any
    /// The URN without its version.
    case device(String)
    case service(String)
    case udn(String)
  }

  private let form: Form

  /// All devices.
  public static let any = DeviceKind(form: .any)
  public static let mediaServer = device("urn:schemas-upnp-org:device:MediaServer")
  public static let mediaRenderer = device("urn:schemas-upnp-org:device:MediaRenderer")
  /// A player that speaks OpenHome.
  public static let openHomeProduct = service("urn:av-openhome-org:service:Product")

  /// Devices of a type in any version.
  ///
  /// - Parameter type: the URN without its version: `urn:schemas-upnp-org:device:BinaryLight`.
  public static func device(_ type: String) -> DeviceKind { DeviceKind(form: .device(type)) }

  /// Devices that have a service in any version.
  ///
  /// - Parameter type: the URN without its version: `urn:schemas-upnp-org:service:SwitchPower`.
  public static func service(_ type: String) -> DeviceKind { DeviceKind(form: .service(type)) }

  /// One device.
  ///
  /// - Parameter udn: without `uuid:`; upper and lower case are the same.
  public static func udn(_ udn: String) -> DeviceKind { DeviceKind(form: .udn(udn)) }

  /// The target of a search for it. Version 1 finds later ones as well.
  var searchTarget: String {
    switch form {
    case .any: "upnp:rootdevice"
    case .device(let type), .service(let type): "\(type):1"
    // Other characters would break the header field; then all root devices are asked.
    case .udn(let udn): udn.utf8.allSatisfy { (0x21...0x7e).contains($0) } ? "uuid:\(udn)" : "upnp:rootdevice"
    }
  }

  /// True for an announcement or a response that a device of this kind sends.
  func matches(_ notice: SSDPNotice) -> Bool {
    switch form {
    case .any: true
    case .device(let type), .service(let type): Self.isVersion(notice.target, of: type)
    case .udn(let udn): notice.udn.lowercased() == udn.lowercased()
    }
  }

  /// True for a device of this kind; what is embedded in it doesn't count.
  public func matches(_ device: FoundDevice) -> Bool {
    switch form {
    case .any: true
    case .device(let type): Self.isVersion(device.type, of: type)
    case .service(let type): device.services.contains { Self.isVersion($0.type, of: type) }
    case .udn(let udn): device.udn.lowercased() == udn.lowercased()
    }
  }

  static func isVersion(_ text: String, of type: String) -> Bool {
    guard text.utf8.starts(with: type.utf8) else { return false }
    let rest = text.utf8.dropFirst(type.utf8.count)
    let version = rest.dropFirst()
    return rest.first == UInt8(ascii: ":") && version.allSatisfy { (0x30...0x39).contains($0) }
      && (Int(Substring(version)) ?? 0) >= 1
  }
}
