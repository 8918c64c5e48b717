import ControlPoint
import Proxies
import Renderers
import Text

/// Puts tracks on a renderer.
struct Playing: Sendable {
  /// The most tracks that are put into a queue at once.
  static let maximum = 1000

  let renderer: Renderer
  /// Learns what the renderer is given.
  let given: GivenTracks

  init(_ renderer: Renderer, given: GivenTracks = GivenTracks()) {
    self.renderer = renderer
    self.given = given
  }

  func put(_ objects: [Playable], _ place: PlayPlace) async throws -> Report {
    var tracks = try await resources(of: objects)
    let given = given
    let outcome = try await renderer.control { remote throws(RendererFailure) in
      try await remote.put(tracks, place) { given.add($0, id: $1) }
    }
    switch outcome {
    case .queued(let taken, let room, let failure):
      if let room {
        renderer.session.output.note(
          "the queue of \(renderer.name) has room for \(room) of \(counted(tracks.count, "track"))")
      }
      if let failure {
        renderer.session.output.note(
          "\(failure.words(renderer.name)); the queue has got \(taken.count) of \(counted(room ?? tracks.count, "track"))"
        )
      }
      tracks = taken
    case .handedOver: break
    case .oneByOne: try await playOneByOne(tracks)
    }
    return renderer.done([
      "tracks": .array(tracks.map { .members(["title": .string($0.title), "uri": .string($0.uri)]) })
    ])
  }

  /// Plays a station of the renderer's own list.
  func play(station: QueueEntry) async throws {
    let radio: Radio2.Proxy = try renderer.proxy(.radio)
    try await renderer.control { remote throws(RendererFailure) in try await remote.choose("Radio") }
    try await renderer.attempt { () async throws(ActionFailure) in
      try await radio.setId(value: station.id, uri: station.uri)
      try await radio.play()
    }
  }

  /// Plays tracks on a renderer that has no queue: stays until the last one plays.
  private func playOneByOne(_ tracks: [RendererTrack]) async throws {
    let (given, name) = (given, renderer.name)
    try await renderer.control { remote throws(RendererFailure) in try await remote.play(tracks[0]) }
    given.add(tracks[0].uri, id: nil)
    guard tracks.count > 1 else { return }
    renderer.session.output.note(
      "\(name) has no queue: vireoctl hands over one track after another, and stays until the last one plays")
    let end = try await renderer.control { remote throws(RendererFailure) in
      try await remote.handOver(tracks) { given.add($0, id: nil) }
    }
    switch end {
    case .last: break
    case .stopped: renderer.session.output.note("\(name) was stopped; the other tracks are left out")
    case .unknown(let track):
      renderer.session.output.note(
        "\(name) has stopped, and doesn't say whether \"\(track.title)\" was over; the other tracks are left out"
      )
    case .neverBegan(let track):
      throw Failure(
        .timedOut, "\(name) hasn't begun to play \"\(track.title)\"",
        hints: ["the other tracks are left out"])
    case .silent: throw Failure(.unreachable, "\(name) can't be reached any more")
    }
  }

  /// The address that suits the renderer, for each track. Tracks that it can't play are left out if others are there.
  private func resources(of objects: [Playable]) async throws -> [RendererTrack] {
    let formats = SinkFormats(await renderer.remote.sink())
    // Where there is a choice, the links of this machine have to be known.
    let hasChoice = objects.contains { $0.object.resources.count > 1 }
    let interfaces = hasChoice ? (try? await OwnInterfaces.read(renderer.session)) ?? [] : []
    let place = RendererPlace(
      renderer.devices.flatMap(\.locations), interfaces: interfaces, own: renderer.session.ownAddresses)
    let chosen = ChosenTracks(Array(objects.prefix(Self.maximum)), for: place, playing: formats)
    guard !chosen.tracks.isEmpty else {
      throw Failure(
        .noInput, "there is nothing that \(renderer.name) can play", hints: Array(chosen.refused.prefix(10)))
    }
    if objects.count > Self.maximum {
      renderer.session.output.note("only the first \(Self.maximum) tracks are taken")
    }
    for line in chosen.refused.prefix(10) { renderer.session.output.note("left out: \(line)") }
    return chosen.tracks
  }
}
