/// From one track to the next: which track pushes samples, and what follows when it has none left. Pure.
enum Succession {
  /// The next track.
  enum Next: CaseIterable {
    /// There is none, or the track that pushes is it already.
    case none
    /// Its first samples haven't come yet.
    case unready
    /// Its samples can follow directly.
    case ready
    /// Its samples have another format than the device's.
    case mismatched
  }

  struct Situation {
    var phase: Playback.Phase
    var isPaused: Bool
    /// The samples of the track that pushes wait, or have had their turn.
    var isReady: Bool
    /// They have another format than the device's.
    var isMismatched: Bool
    /// All of them are in the device.
    var isFinished: Bool
    /// Some of them are in the device.
    var hasJoined: Bool
    var next: Next
    /// The device has nothing left to play.
    var isDry: Bool
    /// Nothing has gone to the device.
    var isEmpty: Bool
    /// The device is a recording: it keeps the first format and has no gaps.
    var isRecording: Bool
  }

  enum Step: Equatable {
    case nothing
    /// The device plays what it has, and then reports the end.
    case end
    /// The device is paused until the next track has come.
    case hold
    /// The next track gets the turn.
    case join
    /// The next track was made before the recording's format was known: it is made again.
    case remake
  }

  static func step(_ now: Situation) -> Step {
    guard now.isFinished else {
      // A stream changes its format midway: the earlier samples are played to their end first.
      return now.isReady && now.isMismatched ? .end : .nothing
    }
    let hasNothingLeft = now.isDry || now.isEmpty
    switch now.next {
    case .none:
      // While paused, a next track may still come; without any samples there is nothing to pause on.
      return hasNothingLeft && (!now.isPaused || now.isEmpty) ? .end : .nothing
    case .unready:
      guard hasNothingLeft else { return .nothing }
      switch now.phase {
      // A recording pauses and goes on where it was. A sound device plays out what it has and is restarted.
      case .playing: return now.isRecording ? .hold : .end
      case .buffering: return now.isRecording ? .nothing : .end
      case .idle, .loading, .paused: return .nothing
      }
    case .mismatched: return now.isRecording ? .remake : .end
    // Without any samples of the heard track (sought to its very end), there is no sound to join to.
    case .ready: return now.hasJoined ? .join : .end
    }
  }
}
