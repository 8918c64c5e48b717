import Logging
import Player
import Synchronization

/// Runs the programs of `[hooks]` as the player changes. Used on the event loop.
///
/// Without hooks the player isn't even watched.
final class HookRunner: Sendable {
  private let player: PlayerCore
  private let lanes: [Hook.Subject: ProgramLane]
  /// What is configured, and where we are.
  private let state: Mutex<State>

  private struct State: Sendable {
    var settings = Settings.Hooks()
    var observer: PlayerCore.ObserverID?
    var watch: HookWatch
  }

  init(player: PlayerCore, logger: Logger) {
    self.player = player
    let limit = Settings.Hooks().timeout
    lanes = Dictionary(
      uniqueKeysWithValues: Hook.Subject.allCases.map {
        ($0, ProgramLane(name: "hook on \($0)", limit: limit, logger: logger))
      })
    state = Mutex(State(watch: HookWatch(PlayerState())))
  }

  /// Takes over what is configured, at the start and at a reload.
  func set(_ settings: Settings.Hooks) {
    for lane in lanes.values { lane.set(limit: settings.timeout) }
    player.assumeIsolated { player in
      state.withLock { state in
        state.settings = settings
        let isWanted = Hook.allCases.contains { !settings.command(of: $0).isEmpty }
        if let observer = state.observer, !isWanted {
          player.removeObserver(observer)
          state.observer = nil
        } else if state.observer == nil, isWanted {
          state.watch = HookWatch(player.state)
          state.observer = player.observe { [weak self] old, new in self?.changed(old, new) }
        }
      }
    }
  }

  private func changed(_ old: PlayerState, _ new: PlayerState) {
    let (hooks, activity, settings) = state.withLock { state in
      (state.watch.take(old, new), state.watch.activity, state.settings)
    }
    for hook in hooks {
      let command = settings.command(of: hook)
      guard !command.isEmpty else { continue }
      lanes[hook.subject]?.submit(
        ProgramRun(
          command: command, environment: PlayerVariables.all(new, hook: hook, activity: activity)))
    }
  }

  /// Ends what still runs.
  func close() {
    for lane in lanes.values { lane.close() }
  }
}
