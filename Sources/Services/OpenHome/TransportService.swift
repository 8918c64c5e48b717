import Logging
import Player
import UPnP

/// Transport:1: the transport of the active source.
public struct TransportService: Transport1.Provider {
  let player: PlayerCore
  let logger: Logger
  let casters: Casters?

  public init(player: PlayerCore, logger: Logger, casters: Casters? = nil) {
    self.player = player
    self.logger = logger
    self.casters = casters
  }

  var view: TransportView { TransportView(state: player.currentState) }

  func commands(for context: ActionContext) -> TransportCommands {
    TransportCommands(player: player, log: CastLog(logger: logger, context: context, casters: casters))
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
