/// One entry that is announced, and that searches can match (UPnP Device Architecture, "Discovery: Advertisement").
struct Advertisement: Sendable, Hashable {
  enum Subject: Sendable, Hashable {
    case rootDevice
    case device
    /// `urn:domain:device:name` or `urn:domain:service:name`, without the version.
    case type(urn: String, version: Int)
  }

  let constants: SSDPMessage.Constants
  /// The UDN of the root device or an embedded one, without its `uuid:` prefix.
  let udn: String
  let subject: Subject

  /// The value of NT and ST.
  var target: String {
    switch subject {
    case .rootDevice: "upnp:rootdevice"
    case .device: "uuid:\(udn)"
    case .type(let urn, let version): "\(urn):\(version)"
    }
  }

  var usn: String { subject == .device ? target : "uuid:\(udn)::\(target)" }

  /// Returns this entry with a lower version.
  func asVersion(_ version: Int) -> Advertisement {
    guard case .type(let urn, _) = subject else { return self }
    return Advertisement(constants: constants, udn: udn, subject: .type(urn: urn, version: version))
  }
}

/// Everything that is announced for a number of root devices.
///
/// For each one: the root device; and for it and each device embedded in it the UDN, the type, and each service type once,
/// with its highest version.
struct AdvertisementSet: Sendable, Hashable {
  /// The entries of each root device, with those of the devices embedded in it.
  let devices: [[Advertisement]]

  /// - Parameter maxAge: seconds that an announcement is valid.
  init(_ devices: [ServedDevice], maxAge: Int) {
    self.devices = devices.map { served in
      let root = served.device
      let constants = SSDPMessage.Constants(
        httpPort: served.port, descriptionPath: root.descriptionPath, maxAge: maxAge,
        server: served.serverToken, configID: served.configID,
        furtherLines: root.ssdpFields.map { "\($0.name): \($0.value)\r\n" }.joined(),
        answersWithin: root.habits.answersWithin, answersWithoutMAN: root.habits.answersWithoutMAN,
        isIPv4Only: root.habits.isIPv4Only, announcesSearchTarget: root.habits.announcesSearchTarget)
      func entry(_ device: Device, _ subject: Advertisement.Subject) -> Advertisement {
        Advertisement(constants: constants, udn: device.udn, subject: subject)
      }
      let first = entry(root.device, .rootDevice)
      switch root.announcement {
      // The type first: a control point that takes the first byebye of a device for its end tells only those who look for what
      // that one names.
      case .rootDevice: return [Self.type(of: root.device), .device].map { entry(root.device, $0) } + [first]
      case .everything:
        return [first]
          + root.device.all.flatMap { device in
            ([.device, Self.type(of: device)] + Self.services(of: device)).map { entry(device, $0) }
          }
      }
    }
  }

  private static func type(of device: Device) -> Advertisement.Subject {
    .type(urn: "urn:\(device.domain):device:\(device.type)", version: device.version)
  }

  private static func services(of device: Device) -> [Advertisement.Subject] {
    var versions: [(urn: String, version: Int)] = []
    for service in device.services.map(\.identity) {
      let urn = "urn:\(service.domain):service:\(service.name)"
      if let known = versions.firstIndex(where: { $0.urn == urn }) {
        versions[known].version = max(versions[known].version, service.version)
      } else {
        versions.append((urn, service.version))
      }
    }
    return versions.map { .type(urn: $0.urn, version: $0.version) }
  }

  /// Returns the entries that match a search for `target`, grouped by root device; those without a match are left out.
  ///
  /// A type matches in every version up to the device's own, and is answered with the requested version.
  func matches(_ target: String) -> [[Advertisement]] {
    if target == "ssdp:all" { return devices }
    let wanted = Self.versioned(target)
    return devices.compactMap { entries in
      let found = entries.compactMap { entry -> Advertisement? in
        switch entry.subject {
        case .rootDevice: return target == entry.target ? entry : nil
        case .device: return target.lowercased() == entry.target.lowercased() ? entry : nil
        case .type(let urn, let version):
          guard let wanted, wanted.urn == urn, wanted.version <= version else { return nil }
          return entry.asVersion(wanted.version)
        }
      }
      return found.isEmpty ? nil : found
    }
  }

  /// Splits `target` before its version; nil when it doesn't end in a whole number of at least 1.
  private static func versioned(_ target: String) -> (urn: Substring, version: Int)? {
    guard let colon = target.lastIndex(of: ":") else { return nil }
    let digits = target[target.index(after: colon)...].utf8
    guard (1...9).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
      digits.first != 0x30, let version = Int(String(digits) ?? "")
    else { return nil }
    return (target[..<colon], version)
  }
}
