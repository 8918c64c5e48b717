import NIOCore
import Synchronization

extension EventLoop {
  /// Returns after a time, or when the task is cancelled, and leaves nothing behind then.
  ///
  /// `Task.sleep` starts the threads of libdispatch, which wake an idle daemon every second for good.
  package func pause(for duration: Duration) async {
    let pause = Pause()
    let parts = duration.components
    let nanoseconds =
      min(max(parts.seconds, 0), 1_000_000_000) * 1_000_000_000 + parts.attoseconds / 1_000_000_000
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        pause.begin(continuation)
        pause.keep(scheduleTask(in: .nanoseconds(max(nanoseconds, 0))) { pause.end() })
      }
    } onCancel: {
      pause.end()
    }
  }
}

private final class Pause: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Void, Never>?
    var timer: Scheduled<Void>?
    var isOver = false
  }

  private let state = Mutex(State())

  func begin(_ continuation: CheckedContinuation<Void, Never>) {
    let isOver = state.withLock { state in
      if !state.isOver { state.continuation = continuation }
      return state.isOver
    }
    if isOver { continuation.resume() }
  }

  func keep(_ timer: Scheduled<Void>) {
    let isOver = state.withLock { state in
      if !state.isOver { state.timer = timer }
      return state.isOver
    }
    if isOver { timer.cancel() }
  }

  func end() {
    let (continuation, timer) = state.withLock { state in
      defer { state = State(isOver: true) }
      return (state.continuation, state.timer)
    }
    timer?.cancel()
    continuation?.resume()
  }
}
