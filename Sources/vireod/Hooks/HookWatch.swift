import Player
import Services

/// Finds the occasions for hooks in the changes of the player. A value; looks at nothing else.
struct HookWatch: Sendable {
  /// What people call playing: a gap while the next track loads is part of it.
  enum Activity: String, Sendable {
    case playing, paused, stopped
  }

  private(set) var activity: Activity
  /// The track that was last told of.
  private var told: Heading?
  private var failure: PlaybackFailure?

  /// What makes a track another one for people: a station's next title counts, a longer buffer does not.
  private struct Heading: Sendable, Equatable {
    var media: Media
    var tags: StreamTags?
  }

  init(_ state: PlayerState) {
    activity = Self.activity(of: state.transport) ?? .stopped
    failure = state.failure
  }

  /// The occasions that have come with the change from `old` to `new`, in the order in which they should be served.
  mutating func take(_ old: PlayerState, _ new: PlayerState) -> [Hook] {
    var hooks: [Hook] = []
    if new.failure != failure {
      failure = new.failure
      if failure != nil { hooks.append(.error) }
    }
    if let now = Self.activity(of: new.transport), now != activity {
      activity = now
      switch now {
      case .playing: hooks.append(.play)
      case .paused: hooks.append(.pause)
      case .stopped: hooks.append(.stop)
      }
    }
    if case .playing = new.transport, let media = new.currentTrack {
      let heading = Heading(media: media, tags: new.facts.tags)
      if heading != told {
        told = heading
        hooks.append(.track)
      }
    } else if activity == .stopped {
      told = nil
    }
    if new.volume.decibels(of: .master) != old.volume.decibels(of: .master) { hooks.append(.volume) }
    if new.volume.isMuted(.master) != old.volume.isMuted(.master) { hooks.append(.mute) }
    if new.isStandby != old.isStandby { hooks.append(.standby) }
    return hooks
  }

  /// nil while the transport is on its way, which changes nothing yet; so does a station that is being connected to
  /// again.
  private static func activity(of transport: Transport) -> Activity? {
    switch transport {
    case .stopped: .stopped
    case .playing: .playing
    case .paused: .paused
    case .resolving, .loading, .buffering, .reconnecting: nil
    }
  }
}

/// What programs are told of the player, as environment variables.
enum PlayerVariables {
  static func volume(_ volume: Volume) -> [String: String] {
    let decibels = Double(volume.decibels(of: .master)) / 256
    return [
      "VIREO_VOLUME": String(volume.step(of: .master)), "VIREO_MUTED": volume.isMuted(.master) ? "1" : "0",
      "VIREO_DECIBELS": String((decibels * 100).rounded() / 100),
    ]
  }

  static func all(_ state: PlayerState, hook: Hook, activity: HookWatch.Activity) -> [String: String] {
    var variables = volume(state.volume)
    variables["VIREO_HOOK"] = hook.rawValue
    variables["VIREO_STATE"] = activity.rawValue
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
