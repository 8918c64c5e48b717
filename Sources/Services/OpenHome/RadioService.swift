import DIDLLite
import Logging
import Player
import Text
import UPnP

/// Radio:2: the presets and the chosen station.
public struct RadioService: Radio2.Provider {
  let player: PlayerCore
  let logger: Logger
  let casters: Casters?
  let version: Int
  private let idArray = Memo<UInt32, String>()
  private let protocolInfo = Memo<[String], String>()
  private let metadata = ShownMetadata()

  public init(player: PlayerCore, settings: OpenHomeSettings, logger: Logger, casters: Casters? = nil) {
    self.player = player
    self.logger = logger
    self.casters = casters
    version = settings.announced(2)
  }

  func commands(for context: ActionContext) -> RadioCommands {
    RadioCommands(player: player, log: CastLog(logger: logger, context: context, casters: casters))
  }

  var view: RadioView {
    let state = player.currentState
    return RadioView(
      state: state, metadata: state.radio.channel.map { metadata.text(of: $0, isStation: true) } ?? "",
      idArray: idArray.value(for: state.radio.token) { _ in IdArray.text(state.radio.idArray) },
      protocolInfo: protocolInfo.value(for: state.mimeTypes, make: ProtocolInfo.sinkList))
  }
}

/// The view of Radio:2: the station, never its current song, which belongs to Info.
struct RadioView: Radio2.View {
  let state: PlayerState
  let metadata: String
  /// One id per slot, 0 for an empty one.
  let idArray: String
  let protocolInfo: String

  var uri: String { state.radio.channel?.uri ?? "" }
  var transportState: Radio2.TransportState { .init(state.phase(of: .radio)) }
  var id: UInt32 { state.radio.id }
  var idArrayToken: UInt32 { state.radio.token }
  var channelsMax: UInt32 { UInt32(Radio.channelsMax) }
}

/// The actions of Radio:2 that aren't simple getters.
struct RadioCommands: Radio2.Commands {
  let player: PlayerCore
  let log: CastLog

  private var radio: Radio { player.currentState.radio }

  func play() throws(UPnPError) { try change(.play) }
  func pause() throws(UPnPError) { try change(.pause) }
  func stop() throws(UPnPError) { try change(.stop) }
  func seekSecondAbsolute(value: UInt32) throws(UPnPError) { try change(.seek(to: .seconds(value))) }
  func seekSecondRelative(value: Int32) throws(UPnPError) { try change(.skip(by: .seconds(value))) }

  func setChannel(uri: String, metadata: String) throws(UPnPError) {
    let media = Media(sent: uri, metadata: metadata)
    try change(.setChannel(media))
    log("tunes to", media)
  }

  func setId(value: UInt32, uri: String) throws(UPnPError) {
    try change(.setID(value, uri: uri.trimmingASCIISpace))
    log("tunes to", radio.channel)
  }

  func read(id: UInt32) throws(UPnPError) -> String {
    guard let preset = radio.preset(id) else { throw UPnPError(.idNotFound) }
    return preset.media.stationMetadata
  }

  func readList(idList: String) throws(UPnPError) -> any ChunkedText {
    // A linear search for each of the many ids that a request can hold would block the event loop.
    let presets = Dictionary(
      radio.presets.lazy.compactMap(\.self).map { ($0.id, $0.media) }, uniquingKeysWith: { first, _ in first }
    )
    return EntryList("ChannelList", ids: IdArray.ids(in: idList)) { id in
      presets[id].map { EntryList.Entry(metadata: $0.stationMetadata, bytesRead: $0.metadata.utf8.count) }
    }
  }

  func idArrayChanged(token: UInt32) throws(UPnPError) -> Bool { token != radio.token }
  func refreshPresets() throws(UPnPError) { try change(.refreshPresets) }

  private func change(_ command: RadioCommand) throws(UPnPError) { try player.change(.radio(command)) }
}
