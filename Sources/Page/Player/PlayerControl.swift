import Player

/// Answers what is asked for below `/api/v1/player`.
public struct PlayerControl: PlayerHandlers {
  let player: PlayerCore
  let section: PlayerSection

  public init(player: PlayerCore, section: PlayerSection) {
    self.player = player
    self.section = section
  }

  public func getPlayer(_ context: APIContext) -> Reply<API.Player> { .value(section.value) }

  // MARK: Transport

  public func playPlayer(_ context: APIContext) -> Reply<Done> {
    let state = player.currentState
    guard state.isStandby || state.transport != .stopped || state.activeActions.contains(.play) else {
      return .problem(.conflict("There is nothing to play: the queue is empty, or no station is chosen."))
    }
    return section.audibly { perform([.transport(.play)]) }
  }

  public func pausePlayer(_ context: APIContext) -> Reply<Done> { performAwake(.transport(.pause)) }
  public func stopPlayer(_ context: APIContext) -> Reply<Done> { perform([.transport(.stop)]) }
  public func nextPlayer(_ context: APIContext) -> Reply<Done> { skip(.next, .skipNext) }
  public func previousPlayer(_ context: APIContext) -> Reply<Done> { skip(.previous, .skipPrevious) }

  public func togglePlayer(_ context: APIContext) -> Reply<Done> {
    player.currentState.transport.continuation == .playing ? pausePlayer(context) : playPlayer(context)
  }

  private func skip(_ action: TransportAction, _ command: TransportCommand) -> Reply<Done> {
    let state = player.currentState
    guard state.isStandby || state.activeActions.contains(action) else {
      return .problem(.conflict("There is no such track: nothing follows there."))
    }
    return section.audibly { performAwake(.transport(command)) }
  }

  /// Performs a command that makes no sense in standby.
  private func performAwake(_ command: Command) -> Reply<Done> {
    guard !player.currentState.isStandby else { return .problem(.standby) }
    return perform([command])
  }

  private func perform(_ commands: [Command]) -> Reply<Done> {
    do throws(PlayerError) {
      try player.change(commands)
      return .value(Done(version: section.version))
    } catch {
      return .problem(Problem(error))
    }
  }

  // MARK: Values

  public func changePlayer(_ body: API.PlayerChange, _ context: APIContext) -> Reply<Done> {
    let wakes = body.standby == false
    let state = player.currentState
    var commands: [Command] = wakes ? [.setStandby(false)] : []
    if let source = body.source {
      guard !state.isStandby || wakes else { return .problem(.standby) }
      guard state.sources.contains(source.kind) else {
        return .problem(Problem(.sourceNotFound, pointer: "/source"))
      }
      commands.append(.setSource(source.kind))
    }
    if let volume = body.volume { commands.append(.setVolume(.master, volume)) }
    if let isMuted = body.muted { commands.append(.setMute(.master, isMuted)) }
    if let balance = body.balance { commands.append(.setBalance(balance)) }
    if let isOn = body.repeat { commands.append(.playlist(.setRepeat(isOn))) }
    if let isOn = body.shuffle { commands.append(.playlist(.setShuffle(isOn))) }
    if let position = body.position {
      if body.source == nil, let problem = refusal(ofPosition: state, wakes: wakes) {
        return .problem(problem)
      }
      commands.append(.transport(.go(to: .milliseconds(Int((position * 1000).rounded())))))
    }
    if body.standby == true { commands.append(.setStandby(true)) }
    do throws(PlayerError) {
      try player.change(commands)
    } catch {
      guard error == .seekFailed else { return .problem(Problem(error)) }
      // Nobody knows yet what the chosen source has.
      return .problem(
        body.source == nil
          ? Problem(error, pointer: "/position")
          : Problem(
            "not-seekable", .conflict, "The source has nothing that can be sought.", pointer: "/position"))
    }
    return .value(Done(version: section.version))
  }

  /// Why nothing can be sought at all.
  private func refusal(ofPosition state: PlayerState, wakes: Bool) -> Problem? {
    if state.isStandby { return wakes ? nil : .standby }
    guard !state.activeActions.contains(.seek) else { return nil }
    let view = PlayerView(state: state, facts: PageFacts(), caster: nil, pictures: nil)
    let reason = view.section(version: 0, at: nil).seekReason
    return Problem("not-seekable", .conflict, reason ?? "The track can't be sought.", pointer: "/position")
  }
}

extension Problem {
  static var standby: Problem {
    Problem("standby", .conflict, "The speaker is in standby; wake it first (standby: false).")
  }
}

extension API.PlayerChange.Source {
  fileprivate var kind: SourceKind {
    switch self {
    case .playlist: .playlist
    case .radio: .radio
    case .receiver: .receiver
    case .upnpAv: .upnpAV
    }
  }
}
