@testable import Player

extension Rig {
  /// The id of the track inserted last.
  var newID: UInt32 { state.playlist.tracks.lastID }
  var ids: [UInt32] { state.playlist.tracks.ids }
  var currentID: UInt32 { state.playlist.currentID }
  var phase: PlaybackPhase { state.phase(of: .playlist) }

  mutating func av(_ commands: AVCommand...) { for command in commands { perform(.av(command)) } }
  mutating func playlist(_ commands: PlaylistCommand...) {
    for command in commands { perform(.playlist(command)) }
  }
  mutating func radio(_ commands: RadioCommand...) { for command in commands { perform(.radio(command)) } }

  /// Tracks with the ids 1...count, none of them played.
  static func withPlaylist(
    _ count: Int, active: Bool = true, configuration: PlayerConfiguration = PlayerConfiguration()
  ) -> Rig {
    var rig = Rig(configuration)
    for id in 0..<UInt32(count) { rig.playlist(.insert(after: id, .numbered(id + 1))) }
    if !active { rig.perform(.setSource(.upnpAV)) }
    (rig.requests, rig.reports) = ([], [])
    return rig
  }

  /// Track `id` of a playlist sounds.
  static func playing(
    _ id: UInt32, of count: Int, configuration: PlayerConfiguration = PlayerConfiguration()
  ) -> Rig {
    var rig = withPlaylist(count, configuration: configuration)
    rig.playlist(.playID(id))
    rig.start()
    (rig.requests, rig.reports) = ([], [])
    return rig
  }

  /// A live station sounds.
  static func onAir(
    _ station: Media = .station, configuration: PlayerConfiguration = PlayerConfiguration()
  ) -> Rig {
    var rig = Rig(configuration)
    rig.radio(.setChannel(station), .play)
    rig.receive(.started(rig.id), .seekable(rig.id, false), .playing(rig.id, position: .zero))
    (rig.requests, rig.reports) = ([], [])
    return rig
  }

  /// The wait that was asked for last is over.
  mutating func wakeUp() {
    (requests, reports) = ([], [])
    if let lastWake { wakeUp(lastWake) }
  }

  mutating func wakeUp(_ id: WakeID) { perform(.wake(id)) }
}

extension Media {
  static func numbered(_ number: UInt32) -> Media { .track("\(number)") }
  static let station = Media(uri: "http://radio/live", metadata: "<station>")
}

let dropped = PlaybackFailure(.unreachable, "dropped")
