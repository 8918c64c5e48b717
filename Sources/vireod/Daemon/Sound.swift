import Logging
import Player

/// Makes the sound system.
enum Sound {
  static func make(
    _ settings: Settings, logger: Logger, onEvent: @escaping @Sendable (OutputEvent) -> Void
  ) -> any SoundSystem {
    NoSound(onEvent: onEvent)
  }
}

/// Stands in until there is something to make sound with.
private struct NoSound: SoundSystem {
  let onEvent: @Sendable (OutputEvent) -> Void

  func submit(_ request: OutputRequest) {
    guard case .start(let id, _, _, _) = request else { return }
    onEvent(.failed(id, PlaybackFailure(.device, "this build makes no sound")))
  }

  func ping(_ answered: @escaping @Sendable () -> Void) { answered() }
  func findMIMETypes(_ found: @escaping @Sendable ([String]) -> Void) {}
  func fetch(_ uri: String, _ fetched: @escaping @Sendable (Result<[UInt8], PlaybackFailure>) -> Void) {
    fetched(.failure(PlaybackFailure(.device, "this build fetches nothing")))
  }
  func shutdown() async {}
}
