import SCPD
import UPnP

extension ServiceIdentity {
  /// An OpenHome service.
  static func openHome(_ name: String, version: Int) -> ServiceIdentity {
    ServiceIdentity(domain: "av-openhome-org", idDomain: "av-openhome-org", name: name, version: version)
  }
}

extension ServiceDescription {
  /// The `values` that the service already has in `version`.
  func known(_ values: [EventedValue], in version: Int) -> [EventedValue] {
    let newer = Set(variables.lazy.filter { $0.since > version }.map(\.name))
    return newer.isEmpty ? values : values.filter { !newer.contains($0.name) }
  }
}
