import Player
import SCPD
import UPnP

/// Info:1: what plays, and what the decoder found out about it.
public struct InfoService: ServiceProvider {
  /// What the shown metadata is made of.
  private struct MetadataKey: Equatable, Sendable {
    var media: Media
    var song: StreamTags
  }

  let player: PlayerCore
  let settings: OpenHomeSettings
  private let metadata = Memo<MetadataKey, String>()
  private let metatext = Memo<StreamTags, String>()

  public init(player: PlayerCore, settings: OpenHomeSettings) {
    self.player = player
    self.settings = settings
  }

  public var identity: ServiceIdentity { .openHome("Info", version: 1) }
  public var description: ServiceDescription { Info1.description }
  public var scpd: (head: String, tail: String) { Info1.scpd }
  public var eventing: EventStyle { .properties }
  public var moderation: Duration { .zero }

  public func perform(_ call: inout ActionCall) throws(UPnPError) {
    try Info1.perform(&call, view: viewNow, commands: NoCommands())
  }

  public func eventedValues() -> [EventedValue] { Info1.eventedValues(of: viewNow) }

  private var viewNow: InfoView {
    let state = player.stateNow
    return InfoView(state: state, metadata: metadata(of: state), metatext: metatext(of: state))
  }

  /// What the control point sent; with the switch, the current song of a station in its place.
  private func metadata(of state: PlayerState) -> String {
    guard let media = state.currentTrack else { return "" }
    guard settings.configuration.compatibility.currentSongInMetadata, let song = state.metatext
    else { return media.metadata }
    return metadata.value(for: MetadataKey(media: media, song: song)) {
      DIDLWriter.metadata(of: $0.media, song: $0.song)
    }
  }

  private func metatext(of state: PlayerState) -> String {
    guard let song = state.metatext else { return "" }
    return metatext.value(for: song, make: DIDLWriter.metatext)
  }

  private struct NoCommands: Info1.Commands {}
}

/// What Info:1 shows.
struct InfoView: Info1.View {
  let state: PlayerState
  let metadata: String
  let metatext: String

  private var details: StreamDetails { state.facts.details ?? StreamDetails() }

  var trackCount: UInt32 { state.counters.trackCount }
  var detailsCount: UInt32 { state.counters.detailsCount }
  var metatextCount: UInt32 { state.counters.metatextCount }
  var uri: String { state.currentTrack?.uri ?? "" }
  /// The decoder's, never what the metadata claims.
  var duration: UInt32 { state.facts.duration?.wholeSeconds ?? 0 }
  var bitRate: UInt32 { UInt32(clamping: details.bitRate) }
  var bitDepth: UInt32 { UInt32(clamping: details.bitDepth) }
  var sampleRate: UInt32 { UInt32(clamping: details.sampleRate) }
  var lossless: Bool { details.isLossless }
  var codecName: String { details.codecName }
}
