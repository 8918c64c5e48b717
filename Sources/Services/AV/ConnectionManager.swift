import Player
import SCPD
import UPnP

/// ConnectionManager:1: the supported formats, and the one permanent connection.
///
/// PrepareForConnection isn't offered, so there is only instance 0 of everything.
public struct ConnectionManager: ServiceProvider {
  let player: PlayerCore

  public init(player: PlayerCore) {
    self.player = player
  }

  public var identity: ServiceIdentity { .av("ConnectionManager", version: 1) }
  public var description: ServiceDescription { ConnectionManager1.description }
  public var scpd: (head: String, tail: String) { ConnectionManager1.scpd }
  public var eventing: EventStyle { .properties }

  public func perform(_ call: inout ActionCall) throws(UPnPError) {
    try ConnectionManager1.perform(&call, view: currentView, commands: self)
  }

  public func eventedValues() -> [EventedValue] { ConnectionManager1.eventedValues(of: currentView) }

  private var currentView: ConnectionManagerView {
    ConnectionManagerView(mimeTypes: player.currentState.mimeTypes)
  }
}

/// The view of ConnectionManager:1: the formats that the output has decoders for.
private struct ConnectionManagerView: ConnectionManager1.View {
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
