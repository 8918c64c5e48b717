import ControlPoint
import Proxies

/// Puts tracks on a renderer.
struct Playing: Sendable {
  /// The most tracks that are put into a queue at once.
  static let maximum = 1000

  let renderer: Renderer

  init(_ renderer: Renderer) { self.renderer = renderer }

  /// What the renderer is given for a track.
  struct Track: Sendable, Hashable {
    var title: String
    var uri: String
    var metadata: String
  }

  func put(_ objects: [MediaObject], _ place: PlayPlace) async throws -> Report {
    let tracks = try await resources(of: objects)
    let queue = services.contains(.playlist) ? try await queue(for: place) : nil
    switch PlayPlan.plan(place, count: tracks.count, services: services, queue: queue) {
    case .queue(let steps): try await take(steps, tracks)
    case .oneByOne: try await playOneByOne(tracks)
    case .handOver:
      let transport: AVTransport1.Proxy = try renderer.proxy(.avTransport)
      try await renderer.attempt { () async throws(ActionFailure) in
        try await transport.setNextAVTransportURI(nextURI: tracks[0].uri, nextURIMetaData: tracks[0].metadata)
      }
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

  private func take(_ steps: [PlayPlan.QueueStep], _ tracks: [Track]) async throws {
    let playlist: Playlist1.Proxy = try renderer.proxy(.playlist)
    var first: UInt32?
    for step in steps {
      switch step {
      case .clear:
        try await renderer.attempt { () async throws(ActionFailure) in try await playlist.deleteAll() }
      case .insert(var after):
        for track in tracks {
          let place = after
          after = try await renderer.attempt { () async throws(ActionFailure) in
            try await playlist.insert(afterId: place, uri: track.uri, metadata: track.metadata)
          }
          first = first ?? after
        }
      case .choose: try await choose("Playlist")
      case .playFirst:
        guard let id = first else { continue }
        try await renderer.attempt { () async throws(ActionFailure) in try await playlist.seekId(value: id) }
      }
    }
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
  private func resources(of objects: [MediaObject]) async throws -> [Track] {
    let reach = RendererReach(formats: SinkFormats(await sink()))
    var refused: [String] = []
    let tracks = objects.prefix(Self.maximum).compactMap { object -> Track? in
      do throws(ResourceRefusal) {
        let resource = try object.resource(for: reach)
        return Track(title: object.title, uri: resource.address, metadata: object.metadata(for: resource))
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
