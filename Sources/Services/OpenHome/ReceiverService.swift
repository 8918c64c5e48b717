import Logging
import Player
import Rooms
import Text
import UPnP

/// Receiver:1: what another room sends (Songcast).
public struct ReceiverService: Receiver1.Provider {
  let player: PlayerCore
  let logger: Logger
  let casters: Casters?
  private let ownZone: @Sendable () -> String

  /// - Parameter ownZone: the zone in which this room itself sends; empty for none.
  public init(
    player: PlayerCore, logger: Logger, casters: Casters? = nil,
    ownZone: @escaping @Sendable () -> String = { "" }
  ) {
    self.player = player
    self.logger = logger
    self.casters = casters
    self.ownZone = ownZone
  }

  var view: ReceiverView { ReceiverView(state: player.currentState) }

  func commands(for context: ActionContext) -> ReceiverCommands {
    ReceiverCommands(
      player: player, ownZone: ownZone(), log: CastLog(logger: logger, context: context, casters: casters))
  }
}

/// The view of Receiver:1. Sender and metadata are shown exactly as they were set, not where they lead.
struct ReceiverView: Receiver1.View {
  let state: PlayerState

  var uri: String { state.receiver.sender?.uri ?? "" }
  var metadata: String { state.receiver.sender?.metadata ?? "" }
  /// Control points expect this text, with the dots of the last entry.
  var protocolInfo: String { "ohz:*:*:*,ohm:*:*:*,ohu:*.*.*" }

  /// A receiver that has joined and hears nothing waits.
  var transportState: Receiver1.TransportState {
    switch state.phase(of: .receiver) {
    case .stopped, .paused: .stopped
    case .buffering: .waiting
    case .playing: .playing
    }
  }
}

/// The actions of Receiver:1 that aren't simple getters.
struct ReceiverCommands: Receiver1.Commands {
  let player: PlayerCore
  let ownZone: String
  let log: CastLog

  func play() throws(UPnPError) { try player.change(.receiver(.play)) }
  func stop() throws(UPnPError) { try player.change(.receiver(.stop)) }

  func setSender(uri: String, metadata: String) throws(UPnPError) {
    let media = Media(uri: uri.trimmingASCIISpace, metadata: metadata)
    let sender = SongcastURI(media.uri)
    guard media.uri.isEmpty || sender != nil else {
      throw UPnPError(code: 800, description: "Invalid sender URI")
    }
    guard sender.map(isOwn) != true else {
      throw UPnPError(code: 800, description: "A room can't listen to itself")
    }
    try player.change(.receiver(.setSender(media)))
    log("listens to", media)
  }

  private func isOwn(_ sender: SongcastURI) -> Bool {
    sender == .zone(ownZone) || player.currentState.sender.places.contains(sender.text)
  }
}
