import Player
import Services

extension Settings {
  /// `[openhome]`
  struct OpenHome: Sendable, Equatable {
    var enabled = true
    /// The product name that control points show beside the room.
    var product = "Vireo"
    private var names = Dictionary(
      uniqueKeysWithValues: SourceKind.allCases.map { ($0, $0.defaultName) })
    /// The source that is active at start and when standby is left; nil for the last one used.
    var startupSource: SourceKind?

    /// The name that control points show.
    subscript(nameOf source: SourceKind) -> String {
      get { names[source] ?? source.defaultName }
      set { names[source] = newValue }
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
