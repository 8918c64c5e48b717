import Logging
import Player
import SCPD
import UPnP

/// Radio:2: presets, and one station.
public struct RadioService: ServiceProvider {
  let player: PlayerCore
  let logger: Logger
  private let idArray = Memo<UInt32, String>()
  private let protocolInfo = Memo<[String], String>()

  public init(player: PlayerCore, logger: Logger) {
    self.player = player
    self.logger = logger
  }

  public var identity: ServiceIdentity { .openHome("Radio", version: 2) }
  public var description: ServiceDescription { Radio2.description }
  public var scpd: (head: String, tail: String) { Radio2.scpd }
  public var eventing: EventStyle { .properties }
  public var moderation: Duration { .zero }

  public func perform(_ call: inout ActionCall) throws(UPnPError) {
    let context = call.context
    try Radio2.perform(
      &call, view: viewNow,
      commands: RadioCommands(player: player, log: CastLog(logger: logger, context: context)))
  }

  public func eventedValues() -> [EventedValue] { Radio2.eventedValues(of: viewNow) }

  private var viewNow: RadioView {
    let state = player.stateNow
    return RadioView(
      state: state, idArray: idArray.value(for: state.radio.token) { _ in IdArray.text(state.radio.idArray) },
      protocolInfo: protocolInfo.value(for: state.mimeTypes, make: ProtocolInfo.sinkList))
  }
}

/// What Radio:2 shows: the station, never the song that it plays (that is Info's).
struct RadioView: Radio2.View {
  let state: PlayerState
  /// One entry for each slot, 0 for an empty one.
  let idArray: String
  let protocolInfo: String

  var uri: String { state.radio.channel?.uri ?? "" }
  var metadata: String { state.radio.channel?.metadata ?? "" }
  var transportState: Radio2.TransportState { .init(state.phase(of: .radio)) }
  var id: UInt32 { state.radio.id }
  var idArrayToken: UInt32 { state.radio.token }
  var channelsMax: UInt32 { UInt32(Radio.channelsMax) }
}

/// The actions of Radio:2 that aren't plain getters.
struct RadioCommands: Radio2.Commands {
  let player: PlayerCore
  let log: CastLog

  private var radio: Radio { player.stateNow.radio }

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
    return preset.media.metadata
  }

  func readList(idList: String) throws(UPnPError) -> String {
    // To search the presets for each of the ids that a request has room for would hold up everybody else.
    let presets = Dictionary(
      radio.presets.lazy.compactMap(\.self).map { ($0.id, $0.media.metadata) },
      uniquingKeysWith: { first, _ in first })
    let ids = IdArray.ids(in: idList)
    var list = EntryList("ChannelList", capacity: ids.count)
    for id in ids {
      if let metadata = presets[id] { list.add(id: id, uri: nil, metadata: metadata) }
    }
    return list.finish()
  }

  func idArrayChanged(token: UInt32) throws(UPnPError) -> Bool { token != radio.token }
  func refreshPresets() throws(UPnPError) { try change(.refreshPresets) }

  private func change(_ command: RadioCommand) throws(UPnPError) { try player.change(.radio(command)) }
}
