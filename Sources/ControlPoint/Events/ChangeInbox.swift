import Synchronization

/// Where the event loop puts changes for one reader, which takes them on any thread.
final class ChangeInbox: Sendable {
  private struct State {
    var queue = ChangeQueue()
    var waiting: CheckedContinuation<Result<ServiceChange, ChangesEnd>?, Never>?
    var isCancelled = false
  }

  private let state = Mutex(State())

  func put(_ change: ServiceChange) { update { $0.queue.put(change) } }

  func end(_ reason: ChangesEnd) { update { $0.queue.end(reason) } }

  /// Waits for the next change; nil when the task is cancelled.
  func next() async -> Result<ServiceChange, ChangesEnd>? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (now, earlier) = state.withLock { state in
          let earlier = state.waiting
          state.waiting = nil
          if state.isCancelled { return (Taken.over, earlier) }
          if let next = state.queue.take() { return (Taken.next(next), earlier) }
          state.waiting = continuation
          return (Taken.nothing, earlier)
        }
        earlier?.resume(returning: nil)
        switch now {
        case .over: continuation.resume(returning: nil)
        case .next(let next): continuation.resume(returning: next)
        case .nothing: break
        }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.isCancelled = true
        defer { state.waiting = nil }
        return state.waiting
      }
      waiting?.resume(returning: nil)
    }
  }

  private enum Taken {
    case over, nothing
    case next(Result<ServiceChange, ChangesEnd>)
  }

  private func update(_ change: (inout State) -> Void) {
    let woken = state.withLock {
      state -> (
        CheckedContinuation<Result<ServiceChange, ChangesEnd>?, Never>, Result<ServiceChange, ChangesEnd>
      )?
      in
      change(&state)
      guard let waiting = state.waiting, let next = state.queue.take() else { return nil }
      state.waiting = nil
      return (waiting, next)
    }
    if let (waiting, next) = woken { waiting.resume(returning: next) }
  }
}
