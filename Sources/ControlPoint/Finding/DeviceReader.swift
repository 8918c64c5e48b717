import Synchronization

/// Somebody who looks for devices.
struct DeviceReader {
  let kinds: Set<DeviceKind>
  let state = ReaderLease.State()
  private var queue = DeviceChangeQueue()
  private var waiting: [CheckedContinuation<DeviceChange?, Never>] = []

  init(kinds: Set<DeviceKind>) { self.kinds = kinds }

  /// Tells a change, or that a device is none of its kinds any more.
  mutating func tell(_ change: DeviceChange) {
    let device = change.device
    queue.add(kinds.contains { $0.matches(device) } ? change : .left(device))
    guard !waiting.isEmpty, let next = queue.next() else { return }
    waiting.removeFirst().resume(returning: next)
  }

  mutating func next() -> DeviceChange? { queue.next() }

  mutating func wait(_ continuation: CheckedContinuation<DeviceChange?, Never>) {
    waiting.append(continuation)
  }

  func end() {
    _ = state.end()
    for continuation in waiting { continuation.resume(returning: nil) }
  }
}

/// Ends the reading of a stream of devices when the stream is cancelled, or dropped.
final class ReaderLease: Sendable {
  /// Whether the reading has ended; both sides know it.
  final class State: Sendable {
    private let hasEnded = Mutex(false)

    /// Returns true the first time.
    func end() -> Bool {
      hasEnded.withLock { ended in
        defer { ended = true }
        return !ended
      }
    }
  }

  private let state: State
  private let onEnd: @Sendable () -> Void

  init(_ state: State, onEnd: @escaping @Sendable () -> Void) {
    self.state = state
    self.onEnd = onEnd
  }

  func end() { if state.end() { onEnd() } }

  deinit { end() }
}
