import NIOCore

/// Somebody who looks for devices.
struct DeviceReader {
  let kinds: Set<DeviceKind>
  private var queue = ChangeQueue()
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
    for continuation in waiting { continuation.resume(returning: nil) }
  }
}

/// Ends the reading of a stream of devices when the stream is cancelled, or dropped.
final class ReaderLease: Sendable {
  private let onEnd: @Sendable () -> Void

  init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

  func end() { onEnd() }

  deinit { onEnd() }
}
