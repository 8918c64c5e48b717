import Player
import UPnP

/// Shared parts of the three services of MediaRenderer:1.
extension ServiceIdentity {
  /// A service of the UPnP Forum.
  static func av(_ name: String, version: Int) -> ServiceIdentity {
    ServiceIdentity(domain: "schemas-upnp-org", idDomain: "upnp-org", name: name, version: version)
  }
}

/// The only instance without PrepareForConnection (ConnectionManager, "CurrentConnectionIDs").
enum AVInstance {
  static let id: Int32 = 0
}
