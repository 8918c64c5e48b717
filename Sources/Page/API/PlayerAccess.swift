import HTTP
import Player

/// The player as handlers of the API use it; they are called on its executor.
extension PlayerCore {
  nonisolated var currentState: PlayerState { assumeIsolated { $0.state } }
  nonisolated var instant: PlayerInstant { assumeIsolated { $0.now } }

  /// Runs `body` on the player's executor.
  func within<Result: Sendable>(_ body: @Sendable (isolated PlayerCore) -> Result) -> Result { body(self) }

  /// Performs all of `commands`, or none and says why.
  nonisolated func change(_ commands: [Command]) throws(PlayerError) {
    let refusal = assumeIsolated { core -> PlayerError? in
      do throws(PlayerError) {
        try core.perform(commands)
        return nil
      } catch {
        return error
      }
    }
    if let refusal { throw refusal }
  }
}

extension Problem {
  /// The problem that the player refuses a command.
  ///
  /// - Parameter pointer: what the command was made of.
  init(_ refusal: PlayerError, pointer: String? = nil) {
    let (type, status, detail): (String, HTTPStatus, String) =
      switch refusal {
      case .transitionNotAvailable, .noContents:
        ("not-possible-now", .conflict, "That isn't possible now.")
      case .notSupported:
        ("not-supported", .conflict, "The active source can't do that.")
      case .formatNotSupported, .illegalMIMEType:
        ("not-playable", .unprocessableContent, "This isn't sound that can be played.")
      case .seekModeNotSupported, .playModeNotSupported:
        ("not-supported", .unprocessableContent, "There is no such mode.")
      case .illegalSeekTarget, .seekFailed, .streamNotCurrent:
        ("illegal-position", .unprocessableContent, "The position is outside of the track.")
      case .resourceNotFound:
        (
          "address-refused", .unprocessableContent,
          "The address isn't allowed: it has to be http or https, or a file below [playback] directories."
        )
      case .valueOutOfRange, .volumeOutOfRange, .balanceOutOfRange, .offsetOutOfRange, .trimOutOfRange:
        ("out-of-range", .unprocessableContent, "This is out of range.")
      case .unknownChannel: ("not-found", .unprocessableContent, "There is no such channel.")
      case .idNotFound, .indexNotFound: ("not-found", .notFound, "There is no such track in the queue.")
      case .invalidChannel: ("not-found", .notFound, "There is no such station.")
      case .pinIndexOutOfRange: ("not-found", .notFound, "There is no such slot for a favourite.")
      case .pinNotFound: ("not-found", .notFound, "There is no such favourite.")
      case .playlistFull:
        (
          "queue-full", .conflict,
          "The queue is full; [playlist] tracks-max says how many tracks it may have."
        )
      case .sourceNotFound:
        ("not-found", .unprocessableContent, "There is no such source, or it is switched off.")
      }
    self.init(type, status, detail, pointer: pointer)
  }
}
