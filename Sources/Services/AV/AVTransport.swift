import Logging
import Player
import SCPD
import UPnP

/// AVTransport:1: the UPnP AV source of the player.
public struct AVTransport: ServiceProvider {
  let player: PlayerCore
  let logger: Logger

  public init(player: PlayerCore, logger: Logger) {
    self.player = player
    self.logger = logger
  }

  public var identity: ServiceIdentity { .av("AVTransport", version: 1) }
  public var description: ServiceDescription { AVTransport1.description }
  public var scpd: (head: String, tail: String) { AVTransport1.scpd }
  public var eventing: EventStyle { .lastChange(namespace: "urn:schemas-upnp-org:metadata-1-0/AVT/") }
  public var moderation: Duration { .milliseconds(200) }

  public func perform(_ call: inout ActionCall) throws(UPnPError) {
    let context = call.context
    try AVTransport1.perform(
      &call, view: viewNow, commands: AVTransportCommands(player: player, logger: logger, context: context))
  }

  /// Error codes of AVTransport:1, "Common error codes". Without media, Seek is refused for the state first.
  public func refusal(of variable: StateVariable) -> UPnPError? {
    switch variable.name {
    case "A_ARG_TYPE_InstanceID": UPnPError(code: 718, description: "Invalid InstanceID")
    case "A_ARG_TYPE_SeekMode":
      UPnPError(player.stateNow.av.isEmpty ? .transitionNotAvailable : .seekModeNotSupported)
    case "CurrentPlayMode": UPnPError(.playModeNotSupported)
    case "TransportPlaySpeed": UPnPError(code: 717, description: "Play speed not supported")
    default: nil
    }
  }

  public func eventedValues() -> [EventedValue] {
    AVTransport1.values(of: viewNow).filter { !Self.neverEvented.contains($0.name) }
  }

  private var viewNow: AVTransportView {
    player.assumeIsolated { AVTransportView(state: $0.state, now: $0.now) }
  }

  /// AVTransport:1 has control points poll for these.
  private static let neverEvented: Set<String> = [
    "RelativeTimePosition", "AbsoluteTimePosition", "RelativeCounterPosition", "AbsoluteCounterPosition",
  ]
}
