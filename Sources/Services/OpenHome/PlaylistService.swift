import DIDLLite
import Logging
import Player
import UPnP

/// Playlist:1: the list of tracks that the player owns.
public struct PlaylistService: Playlist1.Provider {
  let player: PlayerCore
  let logger: Logger
  let casters: Casters?
  private let idArray = Memo<UInt32, String>()
  private let protocolInfo = Memo<[String], String>()

  public init(player: PlayerCore, logger: Logger, casters: Casters? = nil) {
    self.player = player
    self.logger = logger
    self.casters = casters
  }

  func commands(for context: ActionContext) -> PlaylistCommands {
    PlaylistCommands(player: player, log: CastLog(logger: logger, context: context, casters: casters))
  }

  var view: PlaylistView {
    let state = player.currentState
    return PlaylistView(
      state: state,
      protocolInfo: protocolInfo.value(for: state.mimeTypes, make: ProtocolInfo.sinkList), array: idArray)
  }
}

/// The view of Playlist:1.
struct PlaylistView: Playlist1.View {
  let state: PlayerState
  let protocolInfo: String
  /// The id array of the last token; encoded only when requested.
  let array: Memo<UInt32, String>

  var transportState: Playlist1.TransportState { .init(state.phase(of: .playlist)) }
  var `repeat`: Bool { state.playlist.isRepeating }
  var shuffle: Bool { state.playlist.isShuffling }
  var id: UInt32 { state.playlist.currentID }
  var idArray: String {
    array.value(for: state.playlist.token) { _ in IdArray.text(state.playlist.tracks.ids) }
  }
  var idArrayToken: UInt32 { state.playlist.token }
  var tracksMax: UInt32 { UInt32(clamping: state.configuration.tracksMax) }
}
