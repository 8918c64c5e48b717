import DIDLLite
import Player
import UPnP

/// ConnectionManager:1 of a zone: what it can play.
struct ZoneConnectionManager: ZoneConnectionManager1.Provider {
  let parts: ZonePlayback

  init(_ parts: ZonePlayback) { self.parts = parts }

  struct Shown: ZoneConnectionManager1.View {
    let mimeTypes: [String]

    var sourceProtocolInfo: String { "" }
    var sinkProtocolInfo: String { ProtocolInfo.sinkList(mimeTypes) }
    var currentConnectionIDs: String { AVInstance.id.wire }
  }

  var view: Shown { Shown(mimeTypes: parts.player.currentState.mimeTypes) }
  func commands(for context: ActionContext) -> ZoneConnectionManager { self }
}

extension ZoneConnectionManager: ZoneConnectionManager1.Commands {
  func getCurrentConnectionInfo(
    connectionID: Int32
  ) throws(UPnPError) -> (
    rcsID: Int32, avTransportID: Int32, protocolInfo: String, peerConnectionManager: String,
    peerConnectionID: Int32, direction: ZoneConnectionManager1.Direction,
    status: ZoneConnectionManager1.ConnectionStatus
  ) {
    guard connectionID == AVInstance.id else {
      throw UPnPError(code: 706, description: "Invalid connection reference")
    }
    return (AVInstance.id, AVInstance.id, "", "", -1, .input, .ok)
  }
}
