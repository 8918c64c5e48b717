import ControlPoint
import Network
import Player
import Renderers

/// Plays what media servers have, here and on other renderers.
extension MediaControl: MediaPlaces {
  /// The most tracks for another renderer, and the time to find them: an answer may take 30 s in all.
  private static let maximumTracks = 1000
  private static let walkTime = Duration.seconds(20)
  /// How long a renderer with a queue may be given tracks, from the request on; what is left by then is told.
  private static let putTime = Duration.seconds(25)

  public nonisolated func tracks(
    server: String, object: String, most: Int, within time: Duration
  ) async -> Outcome<FoundTracks> {
    await ownTracks(server: server, object: object, most: most, within: time)
  }

  public nonisolated func play(
    _ items: [API.PlayItem], how: API.Play.How, on renderer: String
  ) async -> Outcome<API.PlayResult> {
    await playElsewhere(items, how, on: renderer)
  }

  private func ownTracks(
    server udn: String, object: String, most: Int, within time: Duration
  ) async -> Outcome<FoundTracks> {
    use()
    do throws(Problem) {
      let (objects, server, isPartial) = try await playables(
        server: udn, object: object, most: most, end: .now + time)
      let reach = ownReach(of: server)
      var tracks: [Media] = []
      for object in objects {
        guard let media = media(of: object, for: reach) else { continue }
        learn(media.uri, of: server.key)
        tracks.append(media)
      }
      return .value(
        FoundTracks(tracks: tracks, left: objects.count - tracks.count, isPartial: isPartial))
    } catch {
      return .problem(error)
    }
  }

  /// The object as this speaker plays it; nil if it can't.
  func media(of object: MediaObject, for reach: RendererReach) -> Media? {
    guard let resource = try? object.resource(for: reach) else { return nil }
    return Media(
      uri: resource.address, metadata: object.metadata(for: resource),
      contentFormat: resource.protocolInfo?.mimeType, durationHint: resource.duration)
  }

  /// The tracks that an object stands for, and whether there are more.
  private func playables(
    server udn: String, object id: String, most: Int, end: ContinuousClock.Instant
  ) async throws(Problem) -> ([MediaObject], Server, isPartial: Bool) {
    let server = try await server(udn)
    let known = run?.folders[server.key]?[id]
    var object: MediaObject?
    do throws(ActionFailure) {
      if id == MediaLibrary.root || known?.isContainer == true {
        // Several servers can't tell of a single container.
        object = MediaObject(
          id: id, isContainer: true, title: known?.title ?? server.name,
          mediaClass: known?.mediaClass ?? MediaClass("object.container"))
      } else if let parent = known?.parent {
        object = try await server.library.object(id, in: parent)
      } else {
        object = try await server.library.object(id)
      }
      guard let object else {
        throw ActionFailure.fault(.init(code: 701, description: "No such object"))
      }
      guard object.isContainer else { return ([object], server, false) }
      let capabilities = try await capabilities(of: server)
      var limits = WalkLimits()
      (limits.tracks, limits.time) = (max(most, 1), max(end - .now, .zero))
      let all = try await server.library.tracks(below: object, capabilities, limits: limits)
      return (all.tracks, server, all.end == .limit || all.refused > 0)
    } catch {
      throw Problem(error, from: server.name)
    }
  }

  // MARK: - Elsewhere

  private func playElsewhere(
    _ items: [API.PlayItem], _ how: API.Play.How, on udn: String
  ) async -> Outcome<API.PlayResult> {
    use()
    do throws(Problem) {
      let began = ContinuousClock.now
      let renderer = try await renderer(udn)
      let end = began + Self.walkTime
      var playables: [Playable] = []
      var isPartial = false
      for item in items {
        let room = Self.maximumTracks - playables.count
        guard room > 0, .now < end else {
          isPartial = true
          break
        }
        let (more, hasMore) = try await self.playables(item, most: room, end: end)
        playables += more
        isPartial = isPartial || hasMore
      }
      let (all, isAll) = (playables, !isPartial)
      return await inTurn(for: renderer) { (control: isolated MediaControl) async throws(Problem) in
        try await control.put(
          all, PlayPlace(how), on: renderer, left: 0, isPartial: !isAll, until: began + Self.putTime)
      }
    } catch {
      return .problem(error)
    }
  }

  private func playables(
    _ item: API.PlayItem, most: Int, end: ContinuousClock.Instant
  ) async throws(Problem) -> ([Playable], isPartial: Bool) {
    if let udn = item.server {
      let (objects, server, isPartial) = try await playables(
        server: udn, object: item.object ?? MediaLibrary.root, most: most, end: end)
      let source = Set(server.device.locations.map(\.address.address))
      return (objects.map { Playable(object: $0, source: source) }, isPartial)
    }
    if let preset = item.preset {
      guard let station = playerState.radio.preset(UInt32(clamping: preset)) else {
        throw .notFound("There is no preset \(preset).")
      }
      return ([Playable(object: MediaObject(station.media))], false)
    }
    if let playlist = item.playlist {
      guard let playlists else { throw .notFound("There is no such playlist.") }
      switch await playlists.tracks(of: UInt32(clamping: playlist), most: most) {
      case .problem(let problem): throw problem
      case .value(let found):
        return (found.tracks.map { Playable(object: MediaObject($0)) }, found.isPartial)
      }
    }
    guard let uri = item.uri else {
      throw Problem(
        "missing-member", .unprocessableContent, "An item needs uri, server and object, preset, or playlist.")
    }
    var object = MediaObject(address: uri, title: item.title)
    object.artist = item.artist
    object.album = item.album
    if let art = item.art { object.art = [.init(address: art)] }
    if let seconds = item.seconds { object.resources[0].duration = .milliseconds(Int64(seconds * 1000)) }
    return ([Playable(object: object)], false)
  }

  /// Plays this speaker's queue on another renderer.
  func cast(_ from: API.Cast.From, to udn: String) async -> Outcome<API.PlayResult> {
    do throws(Problem) {
      let renderer = try await renderer(udn)
      let media = Self.cast(from, playerState)
      guard !media.isEmpty else {
        throw .conflict("There is nothing in this speaker's queue.", type: "queue-empty")
      }
      let taken = media.prefix(Self.maximumTracks).map { Playable(object: MediaObject($0)) }
      let end = ContinuousClock.now + Self.putTime
      return await inTurn(for: renderer) { (control: isolated MediaControl) async throws(Problem) in
        try await control.put(
          taken, .replace, on: renderer, left: media.count - taken.count, until: end)
      }
    } catch {
      return .problem(error)
    }
  }

  /// What is to be cast: the queue, or what plays in its place.
  static func cast(_ from: API.Cast.From, _ state: PlayerState) -> [Media] {
    let tracks = state.playlist.tracks
    if state.activeSource != .playlist, let media = state.currentTrack, from == .current || tracks.isEmpty {
      return [media]
    }
    let first = from == .current ? tracks.index(of: state.playlist.currentID) ?? 0 : 0
    return tracks.ids.dropFirst(first).compactMap { tracks[$0] }
  }

  private func put(
    _ playables: [Playable], _ place: PlayPlace, on renderer: FoundRenderer, left: Int,
    isPartial: Bool = false, until end: ContinuousClock.Instant
  ) async throws(Problem) -> API.PlayResult {
    let remote = renderer.remote
    let formats = SinkFormats(await remote.sink())
    let (interfaces, own) = network
    let chosen = ChosenTracks(
      playables, for: RendererPlace(remote.devices.flatMap(\.locations), interfaces: interfaces, own: own),
      playing: formats)
    var notes = chosen.refused.prefix(3).map { $0 + "." }
    if isPartial { notes.append("There is more in it than could be listed.") }
    var left = left + chosen.refused.count
    let tracks = chosen.tracks
    do throws(RendererFailure) {
      guard !tracks.isEmpty else { throw .nothingToPlay(chosen.refused) }
      endHandover(to: renderer.key)
      var added = tracks.count
      switch try await remote.put(tracks, place, until: end) {
      case .queued(let taken, let room, let failure):
        if let room { notes.append("The queue of \(renderer.name) has room for \(room) more.") }
        if let failure { notes.append(failure.words(renderer.name) + ".") }
        added = taken.count
        left += tracks.count - taken.count
        if room == nil, failure == nil, added < tracks.count {
          notes.append("\(renderer.name) takes its tracks slowly: the others are left out.")
        }
      case .handedOver: break
      case .oneByOne:
        try await remote.play(tracks[0])
        if tracks.count > 1, beginHandover(tracks, to: renderer) {
          notes.append(
            "\(renderer.name) has no queue: this speaker hands over one track after another while they play.")
        } else if tracks.count > 1 {
          added = 1
          left += tracks.count - 1
          notes.append(
            "Only the first: \(renderer.name) has no queue, and this speaker hands over tracks to \(Self.maximumHandovers) renderers already."
          )
        }
      }
      touch(renderer.key)
      return API.PlayResult(
        added: added, left: left, isPartial: isPartial ? true : nil,
        detail: notes.isEmpty ? nil : notes.joined(separator: " "))
    } catch {
      throw Problem(error, from: renderer.name)
    }
  }
}

extension PlayPlace {
  init(_ how: API.Play.How) {
    switch how {
    case .now: self = .now
    case .next: self = .next
    case .end: self = .end
    case .replace: self = .replace
    }
  }
}

extension MediaObject {
  /// What another renderer is given of a track of this speaker: its address, with the metadata that it came with.
  init(_ media: Media) {
    let answer = BrowseAnswer(result: media.metadata, numberReturned: 1, totalMatches: 1)
    guard var object = BrowsePage(answer).objects.first(where: { !$0.isContainer }) else {
      self.init(address: media.uri)
      return
    }
    if let resource = object.resources.first(where: { $0.address == media.uri }) {
      object.resources = [resource]
    } else {
      var resource = MediaObject(address: media.uri, mimeType: media.contentFormat).resources[0]
      resource.isAsSent = false
      resource.duration = media.durationHint
      object.resources = [resource]
    }
    self = object
  }
}
