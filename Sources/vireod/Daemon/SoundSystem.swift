import Player

/// What the daemon wants of whatever makes sound, beside playing.
protocol SoundSystem: AudioOutput {
  /// Told of the player that it plays for, once that exists; called on the player's executor.
  func attach(to player: PlayerCore)

  /// Has it load what it needs, since there will soon be something to play; returns at once.
  func begin()

  /// Answers from the thread that makes sound, so that a thread that hangs is noticed.
  func ping(_ answered: @escaping @Sendable () -> Void)

  /// What this host can decode, as MIME types; answered once it is known, from whatever thread.
  func findMIMETypes(_ found: @escaping @Sendable ([String]) -> Void)

  /// Fetches a small document (a station or track list), bounded in size and time, and answers once.
  func fetch(_ uri: String, _ fetched: @escaping @Sendable (Result<[UInt8], PlaybackFailure>) -> Void)

  /// How long the current track could go on if nothing more came; zero while nothing plays. Asked for figures only;
  /// answered at once, from whatever thread.
  var buffered: Duration { get }

  /// Stops and lets go of the device; returns when that is done, after a second at most.
  func shutdown()
}

extension SoundSystem {
  func attach(to player: PlayerCore) {}
}
