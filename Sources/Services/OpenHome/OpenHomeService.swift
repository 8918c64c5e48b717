import UPnP

extension ServiceIdentity {
  /// A service of OpenHome.
  static func openHome(_ name: String, version: Int) -> ServiceIdentity {
    ServiceIdentity(domain: "av-openhome-org", idDomain: "av-openhome-org", name: name, version: version)
  }
}
