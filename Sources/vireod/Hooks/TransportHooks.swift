import Player

/// Decides when to run the programs that switch an amplifier: `on-play` and `on-pause` at once, `on-stop` after a
/// period of silence. Pure.
///
/// An amplifier takes time to wake up, and there is no use in switching it off between two stations. So `on-play` comes
/// before the first sound, which may even depend on it if the amplifier's socket also feeds the D/A converter, and
/// `on-stop` comes only when the silence lasts. Waiting for a server or a sound device counts as playing.
struct TransportHooks: Sendable, Equatable {
  /// The player's activity as people see it: loading the next track or the first sound counts as playing.
  enum Activity: String, Sendable {
    case playing, paused, stopped
  }

  /// The hook that was run last.
  enum LastHook: Sendable, Equatable {
    case play, pause, stop
    /// An earlier run was killed during playback: the amplifier may still be on, or may have lost power.
    case unknown
  }

  /// How long a silence must last before `on-stop`.
  struct Delays: Sendable, Equatable {
    var stopped = Duration.zero
    /// Also the time after which a paused player releases the sound device.
    var paused = Duration.zero
  }

  private(set) var activity = Activity.stopped
  private(set) var lastHook: LastHook
  var delays = Delays()
  /// The time of the last change of ``activity``.
  private var since: PlayerInstant
  private var isStandby = false

  init(lastHook: LastHook = .stop, now: PlayerInstant) {
    self.lastHook = lastHook
    since = now
  }

  /// Whether `on-stop` still has to be run.
  var owesStop: Bool { lastHook != .stop }

  /// The time to call ``lasts(now:)``; nil when there is nothing to wait for.
  var due: PlayerInstant? {
    guard owesStop else { return nil }
    return switch activity {
    case .playing: nil
    case .paused: since + max(delays.stopped, delays.paused)
    case .stopped: since + (isStandby ? .zero : delays.stopped)
    }
  }

  /// Takes over the player's current state, and returns the hook that is due, if any.
  ///
  /// - Parameters:
  ///   - activity: The activity; nil when the transport's state says nothing new.
  ///   - isStandby: Whether the player is in standby, in which `on-stop` doesn't wait for `off-delay`.
  ///   - now: The current time.
  mutating func change(to activity: Activity?, isStandby: Bool, now: PlayerInstant) -> Hook? {
    self.isStandby = isStandby
    if let activity, activity != self.activity {
      self.activity = activity
      since = now
      switch activity {
      case .playing: if lastHook != .play { return tell(.play) }
      case .paused: return tell(.pause)
      case .stopped: break
      }
    }
    return lasts(now: now)
  }

  /// Returns `on-stop` when the silence has lasted long enough.
  mutating func lasts(now: PlayerInstant) -> Hook? {
    guard let due, due <= now else { return nil }
    return tell(.stop)
  }

  /// Ends the hooks: returns `on-stop` unless it was the last one.
  mutating func end() -> Hook? { owesStop ? tell(.stop) : nil }

  private mutating func tell(_ hook: Hook) -> Hook {
    switch hook {
    case .play: lastHook = .play
    case .pause: lastHook = .pause
    default: lastHook = .stop
    }
    return hook
  }
}

extension TransportHooks.Activity {
  /// Maps the transport's state; nil while a pause is still being reached, which changes nothing yet.
  init?(_ transport: Transport) {
    switch transport {
    case .stopped: self = .stopped
    case .paused, .suspended: self = .paused
    case .playing, .reconnecting, .resolving(.playing), .loading(_, .playing), .buffering(_, .playing):
      self = .playing
    case .resolving, .loading, .buffering: return nil
    }
  }
}

extension Hook {
  /// The activity that this hook reports; nil when it is about something else.
  var activity: TransportHooks.Activity? {
    switch self {
    case .play: .playing
    case .pause: .paused
    case .stop: .stopped
    case .track, .volume, .mute, .standby, .error: nil
    }
  }
}

extension PlayerInstant {
  static func + (instant: PlayerInstant, time: Duration) -> PlayerInstant {
    let (seconds, attoseconds) = time.components
    return PlayerInstant(
      nanoseconds: instant.nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}
