import Player
import UPnP

/// What the three services of a MediaRenderer:1 have in common.
extension ServiceIdentity {
  /// A service of the UPnP Forum.
  static func av(_ name: String, version: Int) -> ServiceIdentity {
    ServiceIdentity(domain: "schemas-upnp-org", idDomain: "upnp-org", name: name, version: version)
  }
}

/// The one instance that there is without PrepareForConnection (ConnectionManager, "CurrentConnectionIDs").
enum AVInstance {
  static let id: Int32 = 0
}
