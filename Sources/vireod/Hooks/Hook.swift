/// An event that runs a program from the configuration (`[hooks]`).
enum Hook: String, Sendable, CaseIterable {
  case play = "on-play"
  case pause = "on-pause"
  case stop = "on-stop"
  case track = "on-track"
  case volume = "on-volume"
  case mute = "on-mute"
  case standby = "on-standby"
  case error = "on-error"

  /// What the hook is about. Programs about one subject never overlap, so an amplifier that is switched on and off in
  /// quick succession ends up in the player's state.
  var subject: Subject {
    switch self {
    case .play, .pause, .stop: .transport
    case .track: .track
    case .volume: .volume
    case .mute: .mute
    case .standby: .standby
    case .error: .error
    }
  }

  enum Subject: String, Sendable, CaseIterable {
    case transport, track, volume, mute, standby, error
  }
}
