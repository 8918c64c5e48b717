import Player
import UPnP

/// The one place where the player's refusals get their numbers (AVTransport:1, "Common error codes"; UPnP Device
/// Architecture, "UPnP errors").
extension UPnPError {
  init(_ refusal: PlayerError) {
    switch refusal {
    case .transitionNotAvailable: self = .init(code: 701, description: "Transition not available")
    case .noContents: self = .init(code: 702, description: "No contents")
    case .formatNotSupported: self = .init(code: 704, description: "Format not supported for playback")
    case .seekModeNotSupported: self = .init(code: 710, description: "Seek mode not supported")
    case .illegalSeekTarget: self = .init(code: 711, description: "Illegal seek target")
    case .playModeNotSupported: self = .init(code: 712, description: "Play mode not supported")
    case .illegalMIMEType: self = .init(code: 714, description: "Illegal MIME-type")
    case .resourceNotFound: self = .init(code: 716, description: "Resource not found")
    case .valueOutOfRange: self = .valueOutOfRange("outside what the device has")
    }
  }
}

extension PlayerCore {
  /// Performs `command`; called on the player's own executor, as all services are.
  ///
  /// - Throws: the player's refusal with its number.
  nonisolated func change(_ command: Command) throws(UPnPError) {
    let refusal = assumeIsolated { core -> PlayerError? in
      do throws(PlayerError) {
        try core.perform(command)
        return nil
      } catch {
        return error
      }
    }
    if let refusal { throw UPnPError(refusal) }
  }

  /// The state now; called on the player's own executor.
  nonisolated var stateNow: PlayerState { assumeIsolated { $0.state } }
}
