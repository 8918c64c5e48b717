import Player
import Services

/// Derives hooks from the changes of the player. Pure.
struct HookWatch: Sendable {
  private(set) var transport: TransportHooks
  /// The track of the last ``Hook/track``.
  private var lastHeading: Heading?
  private var failure: PlaybackFailure?

  /// What identifies a track for people: a station's next title counts as a new track, a changed buffer does not.
  private struct Heading: Sendable, Equatable {
    var media: Media
    var tags: StreamTags?
  }

  /// Creates a watch that counts a playback that is already under way as new.
  init(_ state: PlayerState, _ transport: TransportHooks) {
    self.transport = transport
    failure = state.failure
  }

  var activity: TransportHooks.Activity { transport.activity }

  /// Returns the hooks that a change from `old` to `new` causes, in the order in which to run them.
  ///
  /// - Parameters:
  ///   - old: The player's state before the change.
  ///   - new: The player's state after the change.
  ///   - offDelay: `[hooks] off-delay`.
  ///   - now: The current time.
  mutating func take(
    _ old: PlayerState, _ new: PlayerState, offDelay: Duration, now: PlayerInstant
  ) -> [Hook] {
    var hooks: [Hook] = []
    if new.failure != failure {
      failure = new.failure
      if failure != nil { hooks.append(.error) }
    }
    transport.delays = .init(stopped: offDelay, paused: new.configuration.pauseRelease)
    let activity = TransportHooks.Activity(new.transport)
    if let hook = transport.change(to: activity, isStandby: new.isStandby, now: now) { hooks.append(hook) }
    if case .playing = new.transport, let media = new.currentTrack {
      var heading = Heading(media: media, tags: new.facts.tags)
      heading.tags?.picture = nil
      if heading != lastHeading {
        lastHeading = heading
        hooks.append(.track)
      }
    } else if activity == .stopped {
      lastHeading = nil
    }
    if new.volume.decibels(of: .master) != old.volume.decibels(of: .master) { hooks.append(.volume) }
    if new.volume.isMuted(.master) != old.volume.isMuted(.master) { hooks.append(.mute) }
    if new.isStandby != old.isStandby { hooks.append(.standby) }
    return hooks
  }

  /// To be called at the time that ``TransportHooks/due`` names.
  mutating func lasts(now: PlayerInstant) -> Hook? { transport.lasts(now: now) }

  /// See ``TransportHooks/end()``.
  mutating func end() -> Hook? { transport.end() }
}

/// The player's state as environment variables for programs.
enum PlayerVariables {
  static func volume(_ volume: Volume) -> [String: String] {
    let decibels = Double(volume.decibels(of: .master)) / 256
    return [
      "VIREO_VOLUME": String(volume.step(of: .master)), "VIREO_MUTED": volume.isMuted(.master) ? "1" : "0",
      "VIREO_DECIBELS": String((decibels * 100).rounded() / 100),
    ]
  }

  static func all(_ state: PlayerState, hook: Hook, activity: TransportHooks.Activity) -> [String: String] {
    var variables = volume(state.volume)
    variables["VIREO_HOOK"] = hook.rawValue
    variables["VIREO_STATE"] = (hook.activity ?? activity).rawValue
    variables["VIREO_STANDBY"] = state.isStandby ? "1" : "0"
    variables["VIREO_ERROR"] = state.failure?.message ?? ""
    let heading = TrackHeading(state)
    variables["VIREO_TITLE"] = heading.title
    variables["VIREO_ARTIST"] = heading.artist
    variables["VIREO_ALBUM"] = heading.album
    variables["VIREO_STATION"] = state.facts.tags?.station ?? ""
    variables["VIREO_URI"] = state.currentTrack?.uri ?? ""
    variables["VIREO_DURATION"] = state.duration.map { String($0.components.seconds) } ?? ""
    return variables
  }
}
