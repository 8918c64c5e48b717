/// What to look for: devices of a type, or devices that have a service.
public struct DeviceKind: Sendable, Hashable {
  private enum Form: Hashable {
    case any
    /// The URN without its version.
    case device(String)
    case service(String)
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

  /// The target of a search for it. Version 1 finds later ones as well.
  var searchTarget: String {
    switch form {
    case .any: "upnp:rootdevice"
    case .device(let type), .service(let type): "\(type):1"
    }
  }

  /// True for the target of an announcement or a response that a device of this kind sends.
  func matches(target: String) -> Bool {
    switch form {
    case .any: true
    case .device(let type), .service(let type): Self.isVersion(target, of: type)
    }
  }

  /// True for a device of this kind; what is embedded in it doesn't count.
  public func matches(_ device: FoundDevice) -> Bool {
    switch form {
    case .any: true
    case .device(let type): Self.isVersion(device.type, of: type)
    case .service(let type): device.services.contains { Self.isVersion($0.type, of: type) }
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
