import Logging
import Player
import SCPD
import UPnP

/// Playlist:1: the list of tracks that the player owns.
public struct PlaylistService: ServiceProvider {
  let player: PlayerCore
  let logger: Logger
  private let idArray = IdArrayCache()
  private let protocolInfo = Memo<[String], String>()

  public init(player: PlayerCore, logger: Logger) {
    self.player = player
    self.logger = logger
  }

  public var identity: ServiceIdentity { .openHome("Playlist", version: 1) }
  public var description: ServiceDescription { Playlist1.description }
  public var scpd: (head: String, tail: String) { Playlist1.scpd }
  public var eventing: EventStyle { .properties }
  /// Only the id array is moderated, by ``IdArrayWindow``.
  public var moderation: Duration { .zero }

  public func perform(_ call: inout ActionCall) throws(UPnPError) {
    let context = call.context
    try Playlist1.perform(
      &call, view: currentView(told: false),
      commands: PlaylistCommands(player: player, log: CastLog(logger: logger, context: context)))
  }

  public func eventedValues() -> [EventedValue] { Playlist1.eventedValues(of: currentView(told: true)) }

  public func nextChange() -> Duration? {
    player.assumeIsolated { idArray.nextChange(token: $0.state.playlist.token, now: $0.now) }
  }

  /// The view at this instant.
  ///
  /// - Parameter told: true for the id array as sent to subscribers, which may lag behind the current one.
  private func currentView(told: Bool) -> PlaylistView {
    player.assumeIsolated { core in
      let (playlist, now) = (core.state.playlist, core.now)
      let encode = { @Sendable in IdArray.text(playlist.tracks.ids) }
      return PlaylistView(
        state: core.state,
        protocolInfo: protocolInfo.value(for: core.state.mimeTypes, make: ProtocolInfo.sinkList),
        array: {
          told
            ? idArray.told(token: playlist.token, now: now, encode: encode)
            : idArray.text(token: playlist.token, encode: encode)
        })
    }
  }
}

/// The view of Playlist:1.
struct PlaylistView: Playlist1.View {
  let state: PlayerState
  let protocolInfo: String
  /// The id array; encoded only when requested.
  let array: @Sendable () -> String

  var transportState: Playlist1.TransportState { .init(state.phase(of: .playlist)) }
  var `repeat`: Bool { state.playlist.isRepeating }
  var shuffle: Bool { state.playlist.isShuffling }
  var id: UInt32 { state.playlist.currentID }
  var idArray: String { array() }
  var idArrayToken: UInt32 { state.playlist.token }
  var tracksMax: UInt32 { UInt32(clamping: state.configuration.tracksMax) }
}
