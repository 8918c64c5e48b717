import Player
import Services

extension Settings {
  /// `[openhome]`
  struct OpenHome: Sendable, Equatable {
    /// The source that is active at start and when standby is left.
    enum StartupSource: String, Sendable, CaseIterable {
      case last, playlist, radio
      case upnpAV = "upnp-av"
    }

    var enabled = true
    /// The product name that control points show beside the room.
    var product = "Vireo"
    var playlistName = SourceKind.playlist.defaultName
    var radioName = SourceKind.radio.defaultName
    var upnpAVName = SourceKind.upnpAV.defaultName
    var startupSource = StartupSource.last

    func name(of source: SourceKind) -> String {
      switch source {
      case .playlist: playlistName
      case .radio: radioName
      case .upnpAV: upnpAVName
      }
    }
  }

  /// `[playlist]`
  struct Playlist: Sendable, Equatable {
    var tracksMax = PlayerConfiguration().tracksMax
  }

  /// `[radio]`
  struct Radio: Sendable, Equatable {
    /// Paths or URLs of station lists.
    var playlists: [String] = []
    /// Stations that come before those of the lists.
    var presets: [Preset] = []

    /// `[[radio.preset]]`
    struct Preset: Sendable, Equatable {
      var name = ""
      var url = ""
      var image = ""
    }
  }

  /// `[compatibility]`
  struct Compatibility: Sendable, Equatable {
    var productVersion = OpenHomeCompatibility().productVersion
    var currentSongInMetadata = OpenHomeCompatibility().currentSongInMetadata
    /// Hides UPnP AV while OpenHome is enabled.
    var hidesUPnPAV = false
  }

  /// Whether the MediaRenderer and its source are offered.
  var offersUPnPAV: Bool { upnpAV.enabled && !(openHome.enabled && compatibility.hidesUPnPAV) }
}

extension SourceKind {
  fileprivate var defaultName: String {
    switch self {
    case .playlist: "Playlist"
    case .radio: "Radio"
    case .upnpAV: "UPnP AV"
    }
  }
}
