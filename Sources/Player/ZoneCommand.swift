import Pins

/// A command of a controller of the Sonos class. It applies to the active source, unless it selects another one.
public enum ZoneCommand: Sendable, Hashable {
  // MARK: What plays

  /// Makes the queue the source, and stops what plays. Nothing changes when it is the source already. Throws `sourceNotFound`.
  case selectQueue
  /// Makes a single track the source, stopped at its beginning. Throws `sourceNotFound`, `resourceNotFound`,
  /// `illegalMIMEType`.
  ///
  /// - as: the address and the metadata as the controller sent them.
  case selectTrack(Media, as: Media)
  /// Makes a station the source, stopped; where there is no radio, as a single track. Throws like `selectTrack`.
  ///
  /// - others: further addresses, for when its own can't be played.
  case selectStation(Media, others: [String], as: Media)
  /// Sets or clears what follows a single track without a gap. Throws `transitionNotAvailable` unless there is one.
  case setNext(Media?, as: Media?)
  /// Notes what filled the queue, until it is empty or another list is restored.
  case noteFiller(Media)

  // MARK: Transport

  /// Plays, and wakes from standby. Throws `transitionNotAvailable` when nothing is loaded.
  case play
  /// Pauses; stops a live stream. Throws `transitionNotAvailable` when stopped.
  case pause
  /// Stops at the beginning of the track.
  case stop
  /// Goes to the next track and keeps the transport state. Throws `transitionNotAvailable` without a list, `illegalSeekTarget` at
  /// its end.
  case next
  /// As `next`, backwards.
  case previous
  /// Goes to a position, also while stopped. Throws `transitionNotAvailable` for a live stream, `illegalSeekTarget`.
  case seek(to: Duration)
  /// Goes to a position relative to the present one, kept within the track. Throws like `seek`.
  case skip(by: Duration)
  /// Goes to a track of the queue, from 1 and in its order, and keeps the transport state. Throws `transitionNotAvailable` when
  /// the queue isn't the source, `illegalSeekTarget`.
  case seekTrack(Int)
  /// Throws `playModeNotSupported` when the queue isn't the source.
  case setMode(ZonePlayMode)

  // MARK: Settings

  /// Gives a pin other texts. Controllers know it by the same number as before. Throws `pinNotFound`.
  case changePin(UInt32, to: Pin)

  case setBass(Int)
  case setTreble(Int)
  case setLoudness(Bool)
  case setCrossfade(Bool)
  /// Bass and treble 0, with loudness, both sides equally loud.
  case resetTone
  /// Starts the sleep timer; nil switches it off.
  case setSleep(Duration?)
  /// Moves the volume to a step, one step after each interval.
  ///
  /// - from: where it begins; nil for where it is.
  /// - after: the time before the first step.
  case ramp(to: Int, from: Int?, every: Duration, after: Duration)

  /// Whether it decides what plays.
  var decidesWhatPlays: Bool {
    switch self {
    case .selectQueue, .selectTrack, .selectStation, .play, .pause, .stop, .next, .previous, .seek, .skip,
      .seekTrack:
      true
    case .setNext, .noteFiller, .setMode, .changePin, .setBass, .setTreble, .setLoudness, .setCrossfade,
      .resetTone,
      .setSleep, .ramp:
      false
    }
  }
}

/// How the queue is played.
public struct ZonePlayMode: Sendable, Hashable {
  /// What is repeated.
  public enum Repeat: Sendable, Hashable {
    case none, all, one
  }

  /// What follows the last track, or each track.
  public var repeats: Repeat
  /// Whether the tracks are played in a random order.
  public var shuffles: Bool

  public init(repeats: Repeat, shuffles: Bool) {
    self.repeats = repeats
    self.shuffles = shuffles
  }
}

extension Playlist {
  /// How it is played, as controllers of the Sonos class say it.
  public var zoneMode: ZonePlayMode {
    ZonePlayMode(
      repeats: repeatsOne ? .one : isRepeating ? .all : .none, shuffles: isShuffling)
  }
}
