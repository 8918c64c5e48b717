import Logging
import Player
import SCPD
import UPnP

/// Transport:1: the transport of the active source.
public struct TransportService: ServiceProvider {
  let player: PlayerCore
  let logger: Logger

  public init(player: PlayerCore, logger: Logger) {
    self.player = player
    self.logger = logger
  }

  public var identity: ServiceIdentity { .openHome("Transport", version: 1) }
  public var description: ServiceDescription { Transport1.description }
  public var scpd: (head: String, tail: String) { Transport1.scpd }
  public var eventing: EventStyle { .properties }

  public func perform(_ call: inout ActionCall) throws(UPnPError) {
    let context = call.context
    try Transport1.perform(
      &call, view: TransportView(state: player.currentState),
      commands: TransportCommands(player: player, log: CastLog(logger: logger, context: context)))
  }

  public func eventedValues() -> [EventedValue] {
    Transport1.eventedValues(of: TransportView(state: player.currentState))
  }
}

/// The view of Transport:1.
struct TransportView: Transport1.View {
  let state: PlayerState

  var modes: String { SmallJSON.array(state.sources.map(\.names.mode)) }
  var canSkipNext: Bool { state.canSkipNext }
  var canSkipPrevious: Bool { state.canSkipPrevious }
  var canRepeat: Bool { state.canRepeat }
  var canShuffle: Bool { state.canShuffle }
  var streamId: UInt32 { state.streamID }
  var canSeek: Bool { state.canSeek }
  var canPause: Bool { state.canPause }
  var transportState: Transport1.TransportState { .init(state.phase) }
  var `repeat`: Bool { state.playlist.isRepeating }
  var shuffle: Bool { state.playlist.isShuffling }
}
