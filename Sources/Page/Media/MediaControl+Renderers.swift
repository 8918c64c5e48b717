import ControlPoint
import HTTP
import NIOCore
import Network
import Player
import Renderers
import Services

/// What is asked for below `/api/v1/renderers`.
extension MediaControl: RenderersHandlers {
  /// Another renderer that is there.
  struct FoundRenderer: Sendable {
    var key: String
    var name: String
    var remote: RemoteRenderer
  }

  /// What renderers said is asked for again after this time, unless they are followed.
  private static let freshTime = TimeAmount.seconds(5)
  /// How long somebody waits for renderers who say nothing.
  static let patience = Duration.seconds(1)

  public nonisolated func getRenderers(_ context: APIContext) -> Reply<API.Renderers> {
    assumeIsolated { control in
      control.use()
      guard !control.followed.contains(.renderers) else { return .value(control.shownRenderers) }
      return .later {
        await self.wait { $0.renderers.players.isEmpty }
        await self.refreshAll()
        return .value(await self.shownRenderers)
      }
    }
  }

  public nonisolated func getRenderer(udn: String, _ context: APIContext) -> Reply<API.Renderer> {
    assumeIsolated { control in
      control.use()
      if control.isSelf(udn) { return .value(control.ownRenderer) }
      return .later {
        do throws(Problem) {
          return .value(try await self.shownRenderer(udn))
        } catch {
          return .problem(error)
        }
      }
    }
  }

  public nonisolated func changeRenderer(
    udn: String, _ body: API.RendererChange, _ context: APIContext
  ) -> Reply<Done> {
    assumeIsolated { control in
      if control.isSelf(udn) {
        return control.own.changePlayer(
          API.PlayerChange(volume: body.volume, muted: body.muted), context)
      }
      control.use()
      return .later { await self.change(udn, body) }
    }
  }

  public nonisolated func playRenderer(udn: String, _ context: APIContext) -> Reply<Done> {
    perform(.play, on: udn) { $0.playPlayer(context) }
  }

  public nonisolated func pauseRenderer(udn: String, _ context: APIContext) -> Reply<Done> {
    perform(.pause, on: udn) { $0.pausePlayer(context) }
  }

  public nonisolated func stopRenderer(udn: String, _ context: APIContext) -> Reply<Done> {
    perform(.stop, on: udn) { $0.stopPlayer(context) }
  }

  public nonisolated func castQueue(
    udn: String, _ body: API.Cast, _ context: APIContext
  ) -> Reply<API.PlayResult> {
    assumeIsolated { control in
      if control.isSelf(udn) {
        return .problem(.conflict("That is this speaker itself.", type: "same-speaker"))
      }
      control.use()
      return .later { await self.cast(body.from, to: udn) }
    }
  }

  // MARK: Finding one

  /// True for a device of this speaker.
  func isSelf(_ udn: String) -> Bool {
    let key = FoundDevices.key(udn)
    return settings.udns.contains { FoundDevices.key($0) == key }
  }

  /// Finds a renderer; waits for it in the first moments of a search.
  func renderer(_ udn: String) async throws(Problem) -> FoundRenderer {
    guard !isSelf(udn) else { throw .conflict("That is this speaker itself.", type: "same-speaker") }
    // The half that speaks OpenHome may be found a moment after the other one.
    await wait { run in run.renderers[udn].map { !$0.isThere || !$0.isOpenHome } ?? true }
    guard let run, let player = run.renderers[udn] else {
      throw .notFound("There is no renderer with this UDN on the network.")
    }
    guard player.isThere else {
      throw .badGateway("“\(player.name)” has left the network, or doesn't answer any more.")
    }
    return FoundRenderer(
      key: player.key, name: player.name,
      remote: RemoteRenderer(player.devices, through: run.controlPoint))
  }

  private func shownRenderer(_ udn: String) async throws(Problem) -> API.Renderer {
    await wait { $0.renderers[udn] == nil }
    if let key = run?.renderers[udn]?.key { await refresh([key]) }
    guard let run, let player = run.renderers[udn] else {
      throw .notFound("There is no renderer with this UDN on the network.")
    }
    return run.renderers.shown(player, seen: seen, icon: icon)
  }

  // MARK: Commands

  private nonisolated func perform(
    _ command: RemoteRenderer.Command, on udn: String, here: (any PlayerHandlers) -> Reply<Done>
  ) -> Reply<Done> {
    if assumeIsolated({ $0.isSelf(udn) }) { return here(own) }
    assumeIsolated { $0.use() }
    return .later {
      await self.control(udn) { remote throws(RendererFailure) in try await remote.perform(command) }
    }
  }

  private func control(
    _ udn: String, _ body: @Sendable (RemoteRenderer) async throws(RendererFailure) -> Void
  ) async -> Outcome<Done> {
    do throws(Problem) {
      let renderer = try await renderer(udn)
      do throws(RendererFailure) {
        try await body(renderer.remote)
      } catch {
        throw Problem(error, from: renderer.name)
      }
      touch(renderer.key)
      return .value(done)
    } catch {
      return .problem(error)
    }
  }

  private func change(_ udn: String, _ change: API.RendererChange) async -> Outcome<Done> {
    await control(udn) { remote throws(RendererFailure) in
      if let volume = change.volume {
        let loudest = await remote.loudest()
        let wanted =
          remote.isOpenHome
          ? min(volume, loudest ?? 100) : RendererList.volume(volume, of: loudest ?? 100)
        try await remote.setVolume(wanted)
      }
      if let isMuted = change.muted { try await remote.setMuted(isMuted) }
    }
  }

  // MARK: The list

  var shownRenderers: API.Renderers {
    let others = run.map { run in
      let seen = seen
      return run.renderers.players.map { run.renderers.shown($0, seen: seen, icon: icon) }
    }
    return API.Renderers(
      version: renderersVersion, renderers: [ownRenderer] + (others ?? []), isSearching: isSearching)
  }

  /// This speaker.
  var ownRenderer: API.Renderer {
    let state = playerState
    let heading = TrackHeading(state)
    let isPlaying = state.phase != .stopped
    return API.Renderer(
      udn: settings.udns.first ?? "", name: settings.name, model: settings.model,
      kind: settings.speaksOpenHome ? .openhome : .av, isSelf: true, seen: 0, isThere: true,
      state: API.Renderer.State(state.phase),
      title: isPlaying && !heading.title.isEmpty ? heading.title : nil,
      artist: isPlaying && !heading.artist.isEmpty ? heading.artist : nil,
      volume: state.volume.step(of: .master), muted: state.volume.isMuted(.master))
  }

  nonisolated var playerState: PlayerState { player.currentState }

  /// Asks all renderers that haven't said anything for a while; waits for no longer than a second.
  private func refreshAll() async {
    guard let run else { return }
    let now = NIODeadline.now()
    let stale = run.renderers.players.filter { player in
      guard player.isThere else { return false }
      return run.renderers.reports[player.key].map { now - $0.time > Self.freshTime } ?? true
    }
    await refresh(stale.prefix(16).map(\.key))
  }

  private func refresh(_ keys: [String]) async {
    guard !keys.isEmpty else { return }
    await withTaskGroup(of: Bool.self) { group in
      for key in keys {
        group.addTask {
          await self.ask(key)
          return true
        }
      }
      group.addTask {
        await self.eventLoop.pause(for: Self.patience)
        return false
      }
      var left = keys.count
      while left > 0, await group.next() == true { left -= 1 }
      group.cancelAll()
    }
  }
}

extension API.Renderer.State {
  init(_ phase: PlaybackPhase) {
    switch phase {
    case .playing: self = .playing
    case .paused: self = .paused
    case .stopped: self = .stopped
    case .buffering: self = .buffering
    }
  }
}
