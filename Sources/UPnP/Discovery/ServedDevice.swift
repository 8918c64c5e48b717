/// A root device, and what its host has settled for it.
struct ServedDevice: Sendable {
  var device: RootDevice
  /// The TCP port where it is served.
  var port: Int
  /// The SERVER field.
  var serverToken: String
  /// CONFIGID.UPNP.ORG, as in the description.
  var configID: Int
}
