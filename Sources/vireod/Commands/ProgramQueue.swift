import Glibc
import Logging
import Synchronization
import Threads

/// Runs the programs of one subject one at a time. Of those that wait, only the latest runs.
///
/// Only ``wait()`` blocks the caller. While no program runs there is neither a thread nor a file descriptor.
final class ProgramQueue: Sendable {
  /// How long the last program may take when the daemon exits.
  static let lastLimit = Duration.seconds(5)

  private struct State: Sendable {
    var limit: Duration
    var isRunning = false
    var waiting: ProgramRun?
    var group: pid_t?
    /// The running program has been asked to end.
    var isUnwanted = false
    /// When the queue was closed; nothing is accepted after that.
    var closed: UInt64?

    /// Sends a signal to the running process group. `group` is cleared under the lock before its ID can be reused, so the
    /// signal can't reach another process.
    func send(_ signal: Int32) {
      if let group { kill(-group, signal) }
    }
  }

  /// The name in the log: `hook on-play`.
  let name: String
  private let logger: Logger
  private let state: SharedState<State>

  init(name: String, limit: Duration, logger: Logger) {
    self.name = name
    var logger = logger
    logger[metadataKey: VireoLogHandler.subjectKey] = "\(name)"
    self.logger = logger
    state = SharedState(State(limit: limit))
  }

  func set(limit: Duration) {
    state.withLock { $0.limit = limit }
  }

  /// Runs `run` after the current program, unless a later one replaces it first.
  func submit(_ run: ProgramRun) {
    let starts = state.withLock { state in
      guard state.closed == nil else { return false }
      state.waiting = run
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if starts { start(run) }
  }

  /// Terminates the running program and starts no others. Returns at once.
  func close() { close(keepingLatest: false) }

  /// Closes the queue, but still runs the last program: `last`, or else the one submitted last, within ``lastLimit``.
  ///
  /// A program that runs before it is terminated. Returns at once.
  func finish(with last: ProgramRun?) { close(keepingLatest: true, last) }

  private func close(keepingLatest: Bool, _ last: ProgramRun? = nil) {
    let run = state.withLock { state -> ProgramRun? in
      guard state.closed == nil else { return nil }
      state.closed = JobThread.now
      state.waiting = keepingLatest ? last ?? state.waiting : nil
      state.isUnwanted = state.isRunning && !(keepingLatest && state.waiting == nil)
      if state.isUnwanted { state.send(SIGTERM) }
      guard !state.isRunning, let run = state.waiting else { return nil }
      state.isRunning = true
      return run
    }
    if let run { start(run) }
  }

  /// Blocks until no program runs; one that doesn't end in time is killed. Call after ``close()`` or ``finish(with:)``.
  func wait() {
    wait(ChildProcess.grace) { !$0.isRunning || !$0.isUnwanted }
    state.withLock { if $0.isUnwanted { $0.send(SIGKILL) } }
    wait(Self.lastLimit) { !$0.isRunning }
    state.withLock { $0.send(SIGTERM) }
    wait(Self.lastLimit + ChildProcess.grace) { !$0.isRunning }
    state.withLock { $0.send(SIGKILL) }
    wait(Self.lastLimit + ChildProcess.grace * 2) { !$0.isRunning }
  }

  /// Waits until `condition` is true, but no longer than `delay` after the queue was closed.
  private func wait(_ delay: Duration, until condition: (State) -> Bool) {
    let closed = state.withLock { $0.closed } ?? 0
    _ = state.wait(untilNanoseconds: closed + UInt64(delay / .nanoseconds(1))) { condition($0) ? true : nil }
  }

  private func start(_ run: ProgramRun) {
    guard !Thread.start(name: "vireo-program", { self.work() }) else { return }
    // The next submission tries again.
    state.withLock { $0.isRunning = false }
    logger.warning("\(name): no thread can be made to run \(run.command.first ?? "")")
  }

  private func work() {
    while let (run, limit) = next() {
      let outcome = ChildProcess.run(
        run, limit: limit, started: note,
        line: { [logger, name] line in logger.info("\(name) says: \(line)") })
      report(outcome, of: run, limit)
    }
  }

  private func next() -> (ProgramRun, Duration)? {
    state.change { state in
      state.isUnwanted = false
      let run = state.waiting
      state.waiting = nil
      state.isRunning = run != nil
      return run.map { ($0, state.closed == nil ? state.limit : min(state.limit, Self.lastLimit)) }
    }
  }

  private func note(_ group: pid_t?) {
    state.withLock { state in
      state.group = group
      if state.isUnwanted { state.send(SIGTERM) }
    }
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
