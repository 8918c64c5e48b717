/// Where tracks come from. One source is active at a time and drives the transport; the others show stopped.
public enum SourceKind: Sendable, Hashable, CaseIterable {
  /// What UPnP AV control points set with SetAVTransportURI.
  case upnpAV
}

/// What the active source has ready for the transport.
enum Cue {
  case nothing
  /// Something, but the track isn't known yet.
  case pending
  case track(Media)
}
