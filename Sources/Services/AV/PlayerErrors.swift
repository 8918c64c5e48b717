import Pins
import Player
import UPnP

/// Maps the player's errors to error codes (AVTransport:1, "Common error codes"; UPnP Device Architecture,
/// "UPnP errors"; the OpenHome services).
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
    case .idNotFound: self = .init(code: 800, description: "Id not found")
    case .playlistFull: self = .init(code: 801, description: "Playlist full")
    case .indexNotFound: self = .init(code: 802, description: "Index not found")
    case .seekFailed: self = .init(code: 803, description: "Seek failed")
    case .invalidChannel: self = .init(code: 803, description: "Invalid channel")
    case .streamNotCurrent: self = .init(code: 804, description: "Stream id is not the current one")
    case .pinIndexOutOfRange: self = .init(pin: .indexOutOfRange)
    case .pinNotFound: self = .init(pin: .idNotFound)
    case .sourceNotFound: self = .init(code: 801, description: "Source not found")
    case .notSupported: self = .init(code: 801, description: "Action not supported")
    case .volumeOutOfRange: self = .init(code: 811, description: "Volume out of range")
    case .balanceOutOfRange: self = .init(code: 812, description: "Balance out of range")
    case .unknownChannel: self = .init(code: 816, description: "Unknown channel")
    case .offsetOutOfRange: self = .init(code: 817, description: "Offset out of range")
    case .trimOutOfRange: self = .init(code: 819, description: "Trim out of range")
    }
  }
}

extension PlayerCore {
  /// Performs `command`; called on the player's executor, like all methods of services.
  ///
  /// - Throws: the player's error with its code.
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

  /// The current state; called on the player's executor.
  nonisolated var currentState: PlayerState { assumeIsolated { $0.state } }
}
