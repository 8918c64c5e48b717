import Player
import UPnP
import XML

/// The ordered list of sources in Product.
struct SourceList: Sendable {
  struct Source: Sendable {
    var kind: SourceKind
    /// The name shown to users.
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
  /// The fixed name that scripts and pins refer to.
  var systemName: String {
    switch self {
    case .playlist: "Playlist"
    case .radio: "Radio"
    case .upnpAV: "UPnP AV"
    }
  }

  /// A type that control points know (Product, "SourceXml").
  var typeName: String {
    switch self {
    case .playlist: "Playlist"
    case .radio: "Radio"
    case .upnpAV: "UpnpAv"
    }
  }

  /// The name in Transport, "Modes".
  var mode: String {
    switch self {
    case .playlist: "playlist"
    case .radio: "radio"
    case .upnpAV: "upnpav"
    }
  }
}

extension SourceList.Source {
  /// The XML of one source. Control points rely on the order of the elements and on the words `true` and
  /// `false`.
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
