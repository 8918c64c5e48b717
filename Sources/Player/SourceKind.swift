/// Where tracks come from. One source is active at a time and drives the transport; the others appear
/// stopped.
///
/// The order of the cases is the order of the source list (OpenHome Product, SourceXml).
public enum SourceKind: Sendable, Hashable, CaseIterable {
  /// The list of tracks that this player owns and OpenHome control points edit.
  case playlist
  /// One station, chosen from the presets or by its address.
  case radio
  /// What UPnP AV control points set with SetAVTransportURI.
  case upnpAV
}

/// What the active source has ready for the transport.
enum Cue {
  case nothing
  /// The current track isn't known yet.
  case pending
  case track(Media)
}
