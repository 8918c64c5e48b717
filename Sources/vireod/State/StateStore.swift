import Dispatch
import Logging
import NIOCore

/// Keeps ``SavedState`` on disk, off the event loop.
actor StateStore {
  private let eventLoop: any EventLoop
  /// nil when there is no directory to write to.
  private let file: StateFile?
  private let logger: Logger
  /// One write at a time. libdispatch is there anyway (Swift's concurrency runs on it), and its threads go away
  /// when there is nothing to do.
  private let queue = DispatchQueue(label: "vireo.state")
  private var plan: SavePlan
  private var timer: Scheduled<Void>?
  private var hasComplained = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

  /// - Parameter stored: What ``StateFile/load(date:)`` found; nil for nothing.
  init(eventLoop: any EventLoop, file: StateFile?, stored: SavedState?, logger: Logger) {
    self.eventLoop = eventLoop
    self.file = file
    self.logger = logger
    plan = SavePlan(stored: stored)
  }

  /// Changes the state; it is on disk about a second later.
  func change(_ body: @Sendable (inout SavedState) -> Void) {
    perform(plan.change(body))
  }

  /// Writes what isn't written yet, and returns when the disk has it (or has refused).
  func finish() async {
    timer?.cancel()
    timer = nil
    guard let file, let state = plan.finish() else { return }
    let failure = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Self.write(state, to: file)) }
    }
    _ = plan.wrote(state, successfully: failure == nil)
    report(failure)
  }

  private func perform(_ action: SavePlan.Action) {
    switch action {
    case .nothing: break
    case .startTimer:
      let delay = TimeAmount(SavePlan.delay)
      timer = eventLoop.scheduleTask(in: delay) { self.assumeIsolated { $0.timerFired() } }
    case .write(let state):
      guard let file else { return }
      queue.async {
        let failure = Self.write(state, to: file)
        self.eventLoop.execute { self.assumeIsolated { $0.wrote(state, failure) } }
      }
    }
  }

  private func timerFired() {
    timer = nil
    perform(plan.timerFired())
  }

  private func wrote(_ state: SavedState, _ failure: FileFailure?) {
    report(failure)
    perform(plan.wrote(state, successfully: failure == nil))
  }

  private static func write(_ state: SavedState, to file: StateFile) -> FileFailure? {
    do throws(FileFailure) {
      try file.write(state)
      return nil
    } catch {
      return error
    }
  }

  private func report(_ failure: FileFailure?) {
    guard let failure else {
      if hasComplained { logger.notice("state is saved again") }
      hasComplained = false
      return
    }
    guard !hasComplained else { return }
    hasComplained = true
    logger.warning(
      "state can't be saved in \(file?.directory ?? "-"): \(failure.reason); the volume will be forgotten at the next restart. Give --state-dir a directory that can be written"
    )
  }
}
