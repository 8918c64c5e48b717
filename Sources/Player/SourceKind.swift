/// Where tracks come from. One source is active at a time and drives the transport; the others appear
/// stopped.
///
/// The order of the cases is the order of the source list (OpenHome Product, SourceXml). The raw values are the names
/// in the saved state and in the configuration.
public enum SourceKind: String, Sendable, Hashable, CaseIterable {
  /// The list of tracks that this player owns and OpenHome control points edit.
  case playlist
  /// One station, chosen from the presets or by its address.
  case radio
  /// What UPnP AV control points set with SetAVTransportURI.
  case upnpAV = "upnp-av"
  /// What another room sends (Songcast), chosen by its address.
  case receiver
}
