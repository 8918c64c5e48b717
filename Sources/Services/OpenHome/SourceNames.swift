import Player

/// The fixed names of a source for OpenHome control points.
struct SourceNames: Sendable {
  /// What scripts and pins refer to.
  var system: String
  /// A type that control points know (Product, "SourceXml").
  var type: String
  /// The name in Transport, "Modes".
  var mode: String
  /// Whether control points show it by default.
  var isVisible = true
}

extension SourceKind {
  var names: SourceNames {
    switch self {
    case .playlist: SourceNames(system: "Playlist", type: "Playlist", mode: "playlist")
    case .radio: SourceNames(system: "Radio", type: "Radio", mode: "radio")
    case .receiver: SourceNames(system: "Songcast", type: "Receiver", mode: "receiver")
    // OpenHome control points can't play anything on it.
    case .upnpAV: SourceNames(system: "UPnP AV", type: "UpnpAv", mode: "upnpav", isVisible: false)
    }
  }

  /// The name that control points show by default.
  public var defaultName: String { names.system }
}
