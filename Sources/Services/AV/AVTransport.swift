import Logging
import Player
import SCPD
import UPnP

/// AVTransport:1: the transport of the cast, or of another source that plays.
public struct AVTransport: AVTransport1.Provider {
  let player: PlayerCore
  let logger: Logger
  let casters: Casters?
  private let metadata = ShownMetadata()

  public init(player: PlayerCore, logger: Logger, casters: Casters? = nil) {
    self.player = player
    self.logger = logger
    self.casters = casters
  }

  public var leading: LeadingVariable? { Self.transportState }

  /// Control points act on the last TransportState that they received.
  ///
  /// After Stop and SetAVTransportURI, Home Assistant omits Play when that state is still PLAYING. After
  /// Play, Kodi ends when it is still STOPPED. So every change to STOPPED, and every change from it, is sent
  /// at once. The transitions listed here harm no client: those of a renderer without media on its way to
  /// playing, and a short wait for data, as after a seek.
  private static let transportState = LeadingVariable(
    name: "TransportState",
    passing: [
      "NO_MEDIA_PRESENT": ["STOPPED", "TRANSITIONING"], "PLAYING": ["TRANSITIONING"],
      "PAUSED_PLAYBACK": ["TRANSITIONING"],
    ])

  func commands(for context: ActionContext) -> AVTransportCommands {
    AVTransportCommands(
      player: player, log: CastLog(logger: logger, context: context, casters: casters))
  }

  /// Recognizes other spellings of normal speed. A speed is a rational number (AVTransport:1,
  /// "TransportPlaySpeed"), so `1/1` and `1.0` are normal speed too.
  public func meaning(of text: String, for variable: StateVariable) -> String? {
    guard variable.name == "TransportPlaySpeed" else { return nil }
    let numbers = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map {
      Double($0)
    }
    guard let over = numbers.first ?? nil, let under = numbers.count == 2 ? numbers[1] : 1,
      over.isFinite, over > 0, over == under
    else { return nil }
    return AVTransport1.TransportPlaySpeed._1.wire
  }

  /// The error codes of AVTransport:1, "Common error codes". Without media, Seek is refused because of the
  /// state first.
  public func refusal(of variable: StateVariable) -> UPnPError? {
    switch variable.name {
    case "A_ARG_TYPE_InstanceID": UPnPError(code: 718, description: "Invalid InstanceID")
    case "A_ARG_TYPE_SeekMode":
      UPnPError(player.currentState.avShown == nil ? .transitionNotAvailable : .seekModeNotSupported)
    case "CurrentPlayMode": UPnPError(.playModeNotSupported)
    case "TransportPlaySpeed": UPnPError(code: 717, description: "Play speed not supported")
    default: nil
    }
  }

  var view: AVTransportView {
    player.assumeIsolated { AVTransportView(state: $0.state, now: $0.now, metadata: metadata) }
  }
}
