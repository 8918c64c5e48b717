import DIDLLite
import Player
import UPnP

/// Info:1: the current track, and the decoder's findings about it.
public struct InfoService: Info1.Provider {
  let player: PlayerCore
  let settings: OpenHomeSettings
  private let metadata = ShownMetadata()
  private let metatext = Memo<StreamTags, String>()

  public init(player: PlayerCore, settings: OpenHomeSettings) {
    self.player = player
    self.settings = settings
  }

  var view: InfoView {
    let state = player.currentState
    return InfoView(state: state, metadata: metadata(of: state), metatext: metatext(of: state))
  }

  /// The metadata from the control point; with `currentSongInMetadata`, a station's current song instead.
  private func metadata(of state: PlayerState) -> String {
    guard let media = state.currentTrack else { return "" }
    let song = settings.configuration.compatibility.currentSongInMetadata ? state.metatext : nil
    return metadata.text(of: media, isStation: state.playsStations, song: song)
  }

  private func metatext(of state: PlayerState) -> String {
    if !state.streamText.isEmpty { return state.streamText }
    guard let song = state.metatext else { return "" }
    return metatext.value(for: song, make: DIDLWriter.metatext)
  }
}

/// The view of Info:1.
struct InfoView: Info1.View {
  let state: PlayerState
  let metadata: String
  let metatext: String

  private var details: StreamDetails { state.facts.details ?? StreamDetails() }

  var trackCount: UInt32 { state.counters.trackCount }
  var detailsCount: UInt32 { state.counters.detailsCount }
  var metatextCount: UInt32 { state.counters.metatextCount }
  var uri: String { state.currentTrack?.uri ?? "" }
  /// The decoder's duration; until it is known, or if it never is, the one from the metadata, as in
  /// AVTransport.
  var duration: UInt32 { state.duration?.wholeSeconds ?? 0 }
  var bitRate: UInt32 { UInt32(clamping: details.bitRate) }
  var bitDepth: UInt32 { UInt32(clamping: details.bitDepth) }
  var sampleRate: UInt32 { UInt32(clamping: details.sampleRate) }
  var lossless: Bool { details.isLossless }
  var codecName: String { details.codecName }
}
