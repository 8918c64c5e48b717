import Player
import UPnP

/// The sources in their order, as Product tells them.
struct SourceList: Sendable {
  struct Source: Sendable {
    var kind: SourceKind
    /// What users see.
    var name: String
    var isVisible: Bool
  }

  let sources: [Source]
  /// Product, "SourceXml".
  let xml: String

  init(_ kinds: [SourceKind], _ configuration: OpenHomeConfiguration) {
    sources = kinds.map { kind in
      let shown = configuration.source(kind)
      return Source(kind: kind, name: shown.name, isVisible: shown.isVisible)
    }
    xml = "<SourceList>" + sources.map(\.xml).joined() + "</SourceList>"
  }
}

extension SourceKind {
  /// Never changes; what scripts and pins name.
  var systemName: String {
    switch self {
    case .playlist: "Playlist"
    case .radio: "Radio"
    case .upnpAV: "UPnP AV"
    }
  }

  /// One of the types that control points know (Product, "SourceXml").
  var typeName: String {
    switch self {
    case .playlist: "Playlist"
    case .radio: "Radio"
    case .upnpAV: "UpnpAv"
    }
  }

  /// Transport, "Modes".
  var mode: String {
    switch self {
    case .playlist: "playlist"
    case .radio: "radio"
    case .upnpAV: "upnpav"
    }
  }
}

extension SourceList.Source {
  /// The order of the elements and the words `true` and `false` matter: control points compare with exactly those.
  fileprivate var xml: String {
    "<Source><Name>\(XMLEscaping.text(name))</Name><Type>\(kind.typeName)</Type>"
      + "<Visible>\(isVisible)</Visible><SystemName>\(kind.systemName)</SystemName></Source>"
  }
}

extension OpenHomeConfiguration {
  /// True when each source has the same name and visibility in `other`.
  func showsSources(as other: OpenHomeConfiguration) -> Bool {
    SourceKind.allCases.allSatisfy { source($0) == other.source($0) }
  }

  fileprivate func source(_ kind: SourceKind) -> Source {
    switch kind {
    case .playlist: playlist
    case .radio: radio
    case .upnpAV: upnpAV
    }
  }
}
