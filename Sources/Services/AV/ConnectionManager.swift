import DIDLLite
import Player
import UPnP

/// ConnectionManager:1: the supported formats, and the one permanent connection.
///
/// PrepareForConnection isn't offered, so there is only instance 0 of everything.
public struct ConnectionManager: ConnectionManager1.Provider {
  let player: PlayerCore

  public init(player: PlayerCore) {
    self.player = player
  }

  func commands(for context: ActionContext) -> ConnectionManager { self }

  var view: ConnectionManagerView {
    ConnectionManagerView(mimeTypes: player.currentState.mimeTypes)
  }
}

/// The view of ConnectionManager:1: the formats that the output has decoders for.
struct ConnectionManagerView: ConnectionManager1.View {
  let mimeTypes: [String]

  var sourceProtocolInfo: String { "" }
  var sinkProtocolInfo: String { ProtocolInfo.sinkList(mimeTypes) }
  var currentConnectionIDs: String { AVInstance.id.wire }
}

extension ConnectionManager: ConnectionManager1.Commands {
  func getCurrentConnectionInfo(
    connectionID: Int32
  ) throws(UPnPError) -> (
    rcsID: Int32, avTransportID: Int32, protocolInfo: String, peerConnectionManager: String,
    peerConnectionID: Int32, direction: ConnectionManager1.Direction,
    status: ConnectionManager1.ConnectionStatus
  ) {
    guard connectionID == AVInstance.id else {
      throw UPnPError(code: 706, description: "Invalid connection reference")
    }
    return (
      rcsID: AVInstance.id, avTransportID: AVInstance.id, protocolInfo: "", peerConnectionManager: "",
      peerConnectionID: -1, direction: .input, status: .ok
    )
  }
}
