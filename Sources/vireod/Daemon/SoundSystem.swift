import GStreamerOutput
import Player

/// What the daemon needs from a sound system in addition to playing.
protocol SoundSystem: AudioOutput {
  /// Connects the sound system to its player, once that exists. Called on the player's executor.
  func attach(to player: PlayerCore)

  /// Loads what playback needs, since it will start soon. Returns at once.
  func begin()

  /// Calls `answered` from the thread that produces sound, so that a thread that hangs is noticed.
  func ping(_ answered: @escaping @Sendable () -> Void)

  /// Determines the MIME types that this host can decode. Calls `found` on any thread.
  func findMIMETypes(_ found: @escaping @Sendable ([String]) -> Void)

  /// Fetches a small document (a list of stations or tracks), limited in size and time, and calls `fetched` once.
  func fetch(_ uri: String, _ fetched: @escaping @Sendable (Result<[UInt8], PlaybackFailure>) -> Void)

  /// What is shared with other rooms; nil if it can't play with others.
  var rooms: OutputRooms? { get }

  /// How long the current track can go on without more data; zero while nothing plays.
  ///
  /// Used only for metrics. Answers at once, on any thread.
  var buffered: Duration { get }

  /// Stops, releases the device, and returns when that is done, after a second at most. False when it isn't done.
  func shutdown() -> Bool
}

extension SoundSystem {
  func attach(to player: PlayerCore) {}
  var rooms: OutputRooms? { nil }
}
