import Glibc
import Logging
import Synchronization
import Threads

/// Runs programs about one subject: one at a time, and of those that wait only the latest.
///
/// Never holds up the caller. While nothing runs there is no thread and no descriptor.
final class ProgramLane: Sendable {
  private struct State: Sendable {
    var limit: Duration
    var isRunning = false
    var waiting: ProgramRun?
    var group: pid_t?
    var isClosed = false
  }

  /// For the log: `hook on-play`.
  let name: String
  private let logger: Logger
  private let state: Mutex<State>

  init(name: String, limit: Duration, logger: Logger) {
    self.name = name
    self.logger = logger
    state = Mutex(State(limit: limit))
  }

  func set(limit: Duration) {
    state.withLock { $0.limit = limit }
  }

  /// Runs `run` when its turn comes, unless a later one takes its place before.
  func submit(_ run: ProgramRun) {
    let starts = state.withLock { state in
      guard !state.isClosed else { return false }
      state.waiting = run
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard starts, !Thread.start(name: "vireo-program", { self.work() }) else { return }
    // The next one tries again.
    state.withLock { $0.isRunning = false }
    logger.warning("\(name): no thread can be made to run \(run.command.first ?? "")")
  }

  /// Ends what runs and starts nothing more; returns at once.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.waiting = nil
      // Still ours: it is taken back, under the lock, before the id is free for others.
      if let group = state.group { kill(-group, SIGTERM) }
    }
  }

  private func work() {
    while let (run, limit) = next() {
      let outcome = ChildProcess.run(
        run, limit: limit, started: { group in self.state.withLock { self.note(group, in: &$0) } },
        line: { [logger, name] line in logger.info("\(name) says: \(line)") })
      report(outcome, of: run, limit)
    }
  }

  private func next() -> (ProgramRun, Duration)? {
    state.withLock { state in
      guard let run = state.waiting, !state.isClosed else {
        state.isRunning = false
        state.waiting = nil
        return nil
      }
      state.waiting = nil
      return (run, state.limit)
    }
  }

  private func note(_ group: pid_t?, in state: inout State) {
    state.group = group
    if state.isClosed, let group { kill(-group, SIGTERM) }
  }

  private func report(_ outcome: ChildProcess.Outcome, of run: ProgramRun, _ limit: Duration) {
    let program = run.command.first ?? ""
    switch outcome {
    case .exited(0): logger.debug("\(name): \(program) is done")
    case .exited(let code): logger.warning("\(name): \(program) failed with exit code \(code)")
    case .killed(let signal): logger.warning("\(name): \(program) was ended by signal \(signal)")
    case .timedOut:
      logger.warning(
        "\(name): \(program) ran for \(DurationText.write(limit)) and was ended; make it quicker, or have it start what takes long as a service"
      )
    case .failed(let reason): logger.warning("\(name): \(program) can't be started: \(reason)")
    }
  }
}
