import Logging
import Player
import Services
import UPnP

/// Answers `POST /api/v1/play`: tracks by their addresses, objects of media servers, stations and playlists; here or elsewhere.
public struct PlayControl: PlayHandlers {
  /// The time to find all that is to be played: an answer may take 30 s.
  static let time = Duration.seconds(25)

  let player: PlayerCore
  let section: PlayerSection
  let undo: QueueUndo
  let places: any MediaPlaces
  let playlists: Playlists
  let configuration: PageConfiguration
  let logger: Logger

  public init(
    player: PlayerCore, section: PlayerSection, undo: QueueUndo, places: any MediaPlaces,
    playlists: Playlists, configuration: PageConfiguration, logger: Logger
  ) {
    self.player = player
    self.section = section
    self.undo = undo
    self.places = places
    self.playlists = playlists
    self.configuration = configuration
    self.logger = logger
  }

  public func play(_ body: API.Play, _ context: APIContext) -> Reply<API.PlayResult> {
    let how = body.how ?? .now
    let isHere = body.where.map(isOwn) ?? true
    if let pin = pin(of: body, here: isHere) { return play(pin, context) }
    let wanted: [API.PlayItem]
    let items: [PlayableItem]
    do throws(Problem) {
      wanted = try withoutPins(body.items)
      items = try PlayableItem.items(wanted, for: player.currentState)
    } catch {
      return .problem(error)
    }
    if let refusal = playlists.refusal(of: items) { return .problem(refusal) }
    if let renderer = body.where, !isHere {
      return .later { await places.play(wanted, how: how, on: renderer) }
    }
    if items.count == 1, case .station(let id, _) = items[0], how == .now || how == .replace {
      return section.audibly { tune(to: id, context) }
    }
    guard items.contains(where: \.isElsewhere) else {
      let found = FoundTracks(tracks: items.compactMap(\.media))
      return audibly(how) { Reply(add(found, how, context.action)) }
    }
    return .later {
      switch await found(items, room: await room(how)) {
      case .problem(let problem): .problem(problem)
      case .value(let found): await addAudibly(found, how, context.action)
      }
    }
  }

  // MARK: Parts

  private func isOwn(_ udn: String) -> Bool {
    configuration.facts.udns.contains { FoundDevices.key($0) == FoundDevices.key(udn) }
  }

  private func tune(to id: UInt32, _ context: APIContext) -> Reply<API.PlayResult> {
    do throws(PlayerError) {
      try player.change([.radio(.setID(id, uri: "")), .radio(.play)])
    } catch {
      return .problem(Problem(error, pointer: "/items/0/preset"))
    }
    CastLog(logger: logger, context: context.action, casters: section.casters, isPage: true)(
      "tunes to", player.currentState.radio.channel)
    return .value(API.PlayResult(added: 1, left: 0))
  }

  /// How many tracks the queue has room for.
  func room(_ how: API.Play.How) async -> Int {
    await player.within { player in
      let state = player.state
      return state.configuration.tracksMax - (how == .replace ? 0 : state.playlist.tracks.count)
    }
  }

  /// The tracks of all items: asks media servers and the disk for theirs, one item after the other.
  ///
  /// - Parameter room: how many tracks are wanted at most; at least one is looked for.
  func found(_ items: [PlayableItem], room: Int) async -> Outcome<FoundTracks> {
    let end = ContinuousClock.now + Self.time
    var found = FoundTracks(tracks: [])
    for item in items {
      if let media = item.media {
        found.tracks.append(media)
        continue
      }
      let (most, time) = (room - found.tracks.count, end - .now)
      guard most > 0 || found.tracks.isEmpty, time > .zero else {
        found.isPartial = true
        break
      }
      switch await tracks(of: item, most: max(1, most), within: time) {
      case .problem(let problem): return .problem(problem)
      case .value(let more):
        found.tracks += more.tracks
        found.left += more.left
        found.isPartial = found.isPartial || more.isPartial
      }
    }
    return .value(found)
  }

  private func tracks(
    of item: PlayableItem, most: Int, within time: Duration
  ) async -> Outcome<FoundTracks> {
    switch item {
    case .onServer(let server, let object):
      await places.tracks(server: server, object: object, most: most, within: time)
    case .playlist(let id): await playlists.tracks(of: id, most: most)
    case .track(let media), .station(_, let media): .value(FoundTracks(tracks: [media]))
    }
  }

  /// Adds tracks to the queue, on the player's executor.
  ///
  /// - Parameter first: the place among them of the one to begin with, from 0.
  func addAudibly(
    _ found: FoundTracks, _ how: API.Play.How, first: Int = 0, _ context: ActionContext
  ) async -> Outcome<API.PlayResult> {
    let reply = await player.within { _ in
      audibly(how) { Reply(add(found, how, first: first, context)) }
    }
    return switch reply {
    case .value(let value): .value(value)
    case .problem(let problem): .problem(problem)
    case .later(let work): await work()
    }
  }

  /// What is only added to the queue needs no sound device.
  private func audibly(
    _ how: API.Play.How, _ perform: () -> Reply<API.PlayResult>
  ) -> Reply<API.PlayResult> {
    how == .now || how == .replace ? section.audibly(perform) : perform()
  }

  /// Adds tracks to the queue, and plays the first of them if that is wanted.
  private func add(
    _ found: FoundTracks, _ how: API.Play.How, first start: Int = 0, _ context: ActionContext
  ) -> Outcome<API.PlayResult> {
    let media = found.tracks
    guard !media.isEmpty else {
      return .problem(
        Problem(
          "not-playable", .unprocessableContent,
          found.isPartial
            ? "Nothing was found in it that this speaker can play, but not all of it could be listed."
            : "There is nothing in it that this speaker can play."))
    }
    do throws(Problem) {
      let added = try QueueAdding(player: player, undo: undo, casters: section.casters, logger: logger)
        .add(media, how, first: start, context)
      guard let token = added.token else { return .value(Self.alone(found)) }
      return .value(
        NewMedia.result(
          wanted: media.count, added: added.count, left: found.left, isPartial: found.isPartial, token: token)
      )
    } catch {
      return .problem(error)
    }
  }

  /// What is answered where there is no queue, so that the first track plays alone.
  private static func alone(_ found: FoundTracks) -> API.PlayResult {
    let rest = found.tracks.count - 1
    return API.PlayResult(
      added: 1, left: rest + found.left, isPartial: found.isPartial ? true : nil,
      detail: rest > 0 ? "Only the first: there is no queue, since [openhome] enabled is false." : nil)
  }
}

extension Reply {
  init(_ outcome: Outcome<Value>) {
    switch outcome {
    case .value(let value): self = .value(value)
    case .problem(let problem): self = .problem(problem)
    }
  }
}
