import Logging
import NIOCore
import Player
import Synchronization

/// Runs the programs of `[hooks]` when the player changes.
///
/// Use on the event loop, except for ``wait()``. Without hooks the player isn't even observed.
final class HookRunner: Sendable {
  private let player: PlayerCore
  private let eventLoop: any EventLoop
  private let queues: [Hook.Subject: ProgramQueue]
  private let owes: @Sendable (Bool) -> Void
  /// The configuration and the current state.
  private let state: Mutex<State>

  private struct State: Sendable {
    var settings = Settings.Hooks()
    var observer: PlayerCore.ObserverID?
    var watch: HookWatch
    /// The timer for `on-stop` after a period of silence.
    var alarm: (at: PlayerInstant, task: Scheduled<Void>)?
    /// The last value passed to ``HookRunner/owes``.
    var isOwed: Bool
    var isOver = false
  }

  /// Creates a runner without hooks; see ``set(_:)``.
  ///
  /// - Parameters:
  ///   - isOwed: Whether an earlier run ended after `on-play` without running `on-stop`.
  ///   - owes: Called with true when that becomes the case in this run, and with false when it no longer is. The
  ///     value must be saved for the next run.
  init(
    player: PlayerCore, eventLoop: any EventLoop, logger: Logger, isOwed: Bool,
    owes: @escaping @Sendable (Bool) -> Void
  ) {
    self.player = player
    self.eventLoop = eventLoop
    self.owes = owes
    let limit = Settings.Hooks().timeout
    queues = Dictionary(
      uniqueKeysWithValues: Hook.Subject.allCases.map {
        ($0, ProgramQueue(name: "hook on \($0)", limit: limit, logger: logger))
      })
    let nothing = TransportHooks(now: PlayerInstant(nanoseconds: 0))
    state = Mutex(State(watch: HookWatch(PlayerState(), nothing), isOwed: isOwed))
  }

  /// Applies the settings at the start and at a reload. New hooks are run for a playback that is already under way.
  func set(_ settings: Settings.Hooks) {
    for queue in queues.values { queue.set(limit: settings.timeout) }
    player.assumeIsolated { player in
      let hooks = state.withLock { state -> [Hook] in
        state.settings = settings
        guard Hook.allCases.contains(where: { !settings.command(of: $0).isEmpty }) else {
          if let observer = state.observer { player.removeObserver(observer) }
          state.observer = nil
          arm(&state, for: nil)
          return []
        }
        if state.observer == nil {
          let transport = TransportHooks(lastHook: state.isOwed ? .unknown : .stop, now: player.now)
          state.watch = HookWatch(player.state, transport)
          state.observer = player.observe { [weak self] old, new in self?.changed(old, new) }
        }
        return take(player.state, player.state, &state, now: player.now)
      }
      run(hooks, for: player)
    }
  }

  private func changed(_ old: PlayerState, _ new: PlayerState) {
    player.assumeIsolated { player in
      run(state.withLock { take(old, new, &$0, now: player.now) }, for: player, as: new)
    }
  }

  private func take(
    _ old: PlayerState, _ new: PlayerState, _ state: inout State, now: PlayerInstant
  ) -> [Hook] {
    let hooks = state.watch.take(old, new, offDelay: state.settings.offDelay, now: now)
    arm(&state, for: state.watch.transport.due)
    return hooks
  }

  /// Schedules the timer for `due`, or none for nil. There is at most one.
  private func arm(_ state: inout State, for due: PlayerInstant?) {
    guard due != state.alarm?.at else { return }
    state.alarm?.task.cancel()
    state.alarm = due.map { due in
      let deadline = NIODeadline.uptimeNanoseconds(UInt64(max(due.nanoseconds, 0)))
      return (due, eventLoop.scheduleTask(deadline: deadline) { [weak self] in self?.silenceElapsed() })
    }
  }

  private func silenceElapsed() {
    player.assumeIsolated { player in
      let hook = state.withLock { state in
        state.alarm = nil
        let hook = state.watch.lasts(now: player.now)
        arm(&state, for: state.watch.transport.due)
        return hook
      }
      run(hook.map { [$0] } ?? [], for: player)
    }
  }

  private func run(_ hooks: [Hook], for player: isolated PlayerCore, as state: PlayerState? = nil) {
    for hook in hooks {
      if let run = program(of: hook, state ?? player.state) { queues[hook.subject]?.submit(run) }
    }
    remember()
  }

  /// The program to run for `hook`; nil when none is configured.
  private func program(of hook: Hook, _ player: PlayerState) -> ProgramRun? {
    let (settings, activity) = state.withLock { ($0.settings, $0.watch.activity) }
    let command = settings.command(of: hook)
    guard !command.isEmpty else { return nil }
    return ProgramRun(
      command: command, environment: PlayerVariables.all(player, hook: hook, activity: activity))
  }

  /// Reports a change of what is owed. Without a program for `on-stop`, nothing ever is.
  private func remember() {
    let change = state.withLock { state -> Bool? in
      let isOwed = !state.settings.stop.isEmpty && state.watch.transport.owesStop
      guard isOwed != state.isOwed else { return nil }
      state.isOwed = isOwed
      return isOwed
    }
    if let change { owes(change) }
  }

  /// Ends the hooks when the daemon exits: a pending `on-stop` runs at once, programs for other subjects are
  /// terminated.
  ///
  /// Returns at once; ``wait()`` blocks until all have ended.
  func end() {
    player.assumeIsolated { player in
      let hook = state.withLock { state -> Hook? in
        guard !state.isOver else { return nil }
        state.isOver = true
        if let observer = state.observer { player.removeObserver(observer) }
        arm(&state, for: nil)
        return state.observer == nil ? nil : state.watch.end()
      }
      for (subject, queue) in queues {
        if subject == .transport {
          queue.finish(with: hook.flatMap { program(of: $0, player.state) })
        } else {
          queue.close()
        }
      }
      remember()
    }
  }

  /// Blocks until no program runs any more: for some seconds at most. Call after ``end()``.
  func wait() {
    for queue in queues.values { queue.wait() }
  }
}
