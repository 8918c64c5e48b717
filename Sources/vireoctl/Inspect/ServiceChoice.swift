import ControlPoint

/// Chooses services of a device by what a person types.
enum ServiceChoice {
  /// The services that `text` names, without regard to case: a type or an id, whole; else a name with or without its
  /// version (`AVTransport:1`); else the beginning of a name.
  static func services(named text: String, of services: [ServiceLocation]) -> [ServiceLocation] {
    let wanted = text.lowercased()
    guard !wanted.isEmpty else { return [] }
    let isWhole: (ServiceLocation) -> Bool = {
      $0.type.lowercased() == wanted || $0.id.lowercased() == wanted
    }
    let isNamed: (ServiceLocation) -> Bool = {
      let name = $0.name.lowercased()
      return name == wanted || "\(name):\($0.version)" == wanted
    }
    let begins: (ServiceLocation) -> Bool = { $0.name.lowercased().hasPrefix(wanted) }
    for matches in [isWhole, isNamed, begins] {
      let found = services.filter(matches)
      if !found.isEmpty { return found }
    }
    return []
  }
}

extension ServiceLocation {
  /// `AVTransport` of `urn:schemas-upnp-org:service:AVTransport:1`; the whole type if it has another form.
  var name: String { parts?.name ?? type }

  /// `1` of `urn:schemas-upnp-org:service:AVTransport:1`.
  var version: String { parts?.version ?? "" }

  private var parts: (name: String, version: String)? {
    let parts = type.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[2] == "service", !parts[3].isEmpty else { return nil }
    return (String(parts[3]), String(parts[4]))
  }
}
