import ControlPoint
import Proxies

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

  /// What the renderer is given for a track.
  struct Track: Sendable, Hashable {
    var title: String
    var uri: String
    var metadata: String
    /// In seconds; nil if the server doesn't say.
    var duration: Int?
  }

  func put(_ objects: [Playable], _ place: PlayPlace) async throws -> Report {
    var tracks = try await resources(of: objects)
    let queue = services.contains(.playlist) ? try await queue(for: place) : nil
    switch PlayPlan.plan(place, count: tracks.count, services: services, queue: queue) {
    case .queue(let steps):
      tracks = try await fitting(tracks, beside: place == .replace ? 0 : queue?.ids.count ?? 0)
      tracks = try await take(steps, tracks)
    case .oneByOne: try await playOneByOne(tracks)
    case .handOver:
      let transport: AVTransport1.Proxy = try renderer.proxy(.avTransport)
      try await renderer.attempt { () async throws(ActionFailure) in
        try await transport.setNextAVTransportURI(nextURI: tracks[0].uri, nextURIMetaData: tracks[0].metadata)
      }
      given.add(tracks[0].uri, id: nil)
    case .impossible(let reason): throw Failure(.refused, "\(renderer.name): \(reason)")
    }
    return renderer.done([
      "tracks": .array(tracks.map { .members(["title": .string($0.title), "uri": .string($0.uri)]) })
    ])
  }

  /// Plays a station of the renderer's own list.
  func play(station: QueueEntry) async throws {
    let radio: Radio2.Proxy = try renderer.proxy(.radio)
    try await choose("Radio")
    try await renderer.attempt { () async throws(ActionFailure) in
      try await radio.setId(value: station.id, uri: station.uri)
      try await radio.play()
    }
  }

  private var services: Set<RendererService> { renderer.services }

  /// The queue to put tracks into.
  private func queue(for place: PlayPlace) async throws -> (ids: [UInt32], current: UInt32?) {
    do {
      return try await QueueList.ids(of: renderer)
    } catch let failure as Failure where failure.status == .refused && (place == .now || place == .replace) {
      // upmpdcli tells of its queue only while that is the source.
      try await choose("Playlist")
      return try await QueueList.ids(of: renderer)
    }
  }

  /// The tracks that there is room for in the queue.
  ///
  /// - Throws: ``Failure`` if there is none.
  private func fitting(_ tracks: [Track], beside count: Int) async throws -> [Track] {
    let answer = await renderer.ask(.playlist, "TracksMax")
    guard let maximum = (answer?.text("Value")).flatMap({ Int($0) }), maximum > 0 else { return tracks }
    let room = max(0, maximum - count)
    guard room > 0 else {
      throw Failure(.refused, "the queue of \(renderer.name) is full: it has \(count) tracks")
    }
    if tracks.count > room {
      renderer.session.output.note(
        "the queue of \(renderer.name) has room for \(room) of the \(tracks.count) tracks")
    }
    return Array(tracks.prefix(room))
  }

  /// Returns the tracks that were put into the queue. If one is refused, those before it are played nevertheless.
  private func take(_ steps: [PlayPlan.QueueStep], _ tracks: [Track]) async throws -> [Track] {
    let playlist: Playlist1.Proxy = try renderer.proxy(.playlist)
    var first: UInt32?
    var taken: [Track] = []
    for step in steps {
      switch step {
      case .clear:
        try await renderer.attempt { () async throws(ActionFailure) in try await playlist.deleteAll() }
      case .insert(var after):
        do {
          for track in tracks {
            let place = after
            after = try await renderer.attempt { () async throws(ActionFailure) in
              try await playlist.insert(afterId: place, uri: track.uri, metadata: track.metadata)
            }
            given.add(track.uri, id: after)
            taken.append(track)
            first = first ?? after
          }
        } catch let failure as Failure where first != nil && failure.status != .interrupted {
          renderer.session.output.note(
            "\(failure.message); the queue has got \(taken.count) of \(tracks.count) tracks")
        }
      case .choose: try await choose("Playlist")
      case .playFirst:
        guard let id = first else { continue }
        try await renderer.attempt { () async throws(ActionFailure) in try await playlist.seekId(value: id) }
      }
    }
    return taken
  }

  /// Chooses the first source of that type, if it isn't chosen already.
  private func choose(_ type: String) async throws {
    guard services.contains(.product) else { return }
    let product: Product4.Proxy = try renderer.proxy(.product)
    try await renderer.attempt { () async throws(ActionFailure) in
      let sources = RendererSource.list(try await product.sourceXml())
      let current = Int(try await product.sourceIndex())
      guard sources.first(where: { $0.index == current })?.type != type,
        let source = sources.first(where: { $0.type == type })
      else { return }
      try await product.setSourceIndex(value: UInt32(source.index))
    }
  }

  /// The address that suits the renderer, for each track. Tracks that it can't play are left out if others are there.
  private func resources(of objects: [Playable]) async throws -> [Track] {
    let formats = SinkFormats(await sink())
    // Where there is a choice, the links of this machine have to be known.
    let hasChoice = objects.contains { $0.object.resources.count > 1 }
    let interfaces = hasChoice ? (try? await OwnInterfaces.read(renderer.session)) ?? [] : []
    let renderersPlace = RendererPlace(
      renderer.devices.flatMap(\.locations), interfaces: interfaces, own: renderer.session.ownAddresses)
    var refused: [String] = []
    let tracks = objects.prefix(Self.maximum).compactMap { playable -> Track? in
      let object = playable.object
      do throws(ResourceRefusal) {
        let resource = try object.resource(for: renderersPlace.reach(formats, of: playable.source))
        return Track(
          title: object.title, uri: resource.address, metadata: object.metadata(for: resource),
          duration: resource.duration.map { PlayTime.bounded(Int($0.components.seconds)) })
      } catch {
        refused.append("\(object.title): \(error.words)")
        return nil
      }
    }
    guard !tracks.isEmpty else {
      throw Failure(
        .noInput, "there is nothing that \(renderer.name) can play", hints: Array(refused.prefix(10)))
    }
    if objects.count > Self.maximum {
      renderer.session.output.note("only the first \(Self.maximum) tracks are taken")
    }
    for line in refused.prefix(10) { renderer.session.output.note("left out: \(line)") }
    return tracks
  }

  /// What it plays, as ProtocolInfo; empty if it doesn't say.
  private func sink() async -> String {
    if let text = await renderer.ask(.connectionManager, "GetProtocolInfo")?["Sink"], !text.isEmpty {
      return text
    }
    return await renderer.ask(.playlist, "ProtocolInfo")?["Value"] ?? ""
  }
}

extension ResourceRefusal {
  /// Why, in words.
  var words: String {
    switch self {
    case .noResource: "the server names no address for it"
    case .unreachable(let addresses):
      "the renderer can't reach \(addresses.first ?? "its address")"
    case .noFormat(let offered): "the renderer doesn't play \(offered.joined(separator: ", "))"
    }
  }
}
