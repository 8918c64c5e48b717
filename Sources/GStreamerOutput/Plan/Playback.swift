/// The state of the heard track's sound. Pure: each method is an input, and changes the state where it applies.
struct Playback: Equatable {
  enum Phase: CaseIterable {
    case idle
    /// Waiting for the first samples to be heard, at the start or after a seek.
    case loading
    case playing
    case paused
    /// Paused until enough has come from a slow server.
    case buffering
  }

  private(set) var phase = Phase.idle
  /// The player wants silence. While loading, the first samples are waited for all the same.
  private(set) var isPaused = false
  /// No samples follow: the device has been sent end of stream.
  private(set) var isEndSent = false

  // MARK: Requests

  /// A track is started; ``load()`` follows.
  mutating func start(paused: Bool) { isPaused = paused }

  /// Pause is requested. False if it was before.
  mutating func requestPause() -> Bool {
    defer { isPaused = true }
    return !isPaused
  }

  /// Play is requested. False if it was before.
  mutating func requestPlay() -> Bool {
    defer { isPaused = false }
    return isPaused
  }

  /// Samples are loaded into an empty device: from the start, after a seek, or into another device.
  mutating func load() {
    phase = .loading
    isEndSent = false
  }

  /// Nothing plays any more.
  mutating func stop() {
    phase = .idle
    isEndSent = false
  }

  // MARK: The device

  /// The sound has faded out for a pause.
  mutating func fadedOut() { phase = .paused }

  /// The device is paused at once. True if it is silent now; false if it still loads.
  mutating func silence() -> Bool {
    guard phase != .loading, phase != .idle else { return false }
    phase = .paused
    return true
  }

  /// The device is to run again. True if it has to be told so.
  mutating func run() -> Bool {
    guard phase == .paused || phase == .loading else { return false }
    phase = .loading
    return true
  }

  /// The device runs with samples in it. True if sound plays from now on.
  mutating func isHeard() -> Bool {
    guard phase == .loading, !isPaused else { return false }
    phase = .playing
    return true
  }

  /// The device has its first samples. True if it is silent and ready from now on.
  ///
  /// - Parameter hasSamples: false at the very end of a track, where there may be none but only the end of stream.
  mutating func isReady(hasSamples: Bool) -> Bool {
    guard phase == .loading, isPaused, hasSamples || isEndSent else { return false }
    phase = .paused
    return true
  }

  /// The device has run dry. True if it is paused until more has come.
  mutating func starve() -> Bool {
    guard phase == .playing, !isEndSent else { return false }
    phase = .buffering
    return true
  }

  /// Enough has come. True if the device is to run again.
  mutating func refill() -> Bool {
    guard phase == .buffering else { return false }
    phase = .loading
    return true
  }

  /// No samples follow. True if the device was paused to wait for more, and is to run again.
  mutating func sendEnd() -> Bool {
    isEndSent = true
    return refill()
  }

  /// The device has played everything.
  mutating func end() { isEndSent = false }
}
