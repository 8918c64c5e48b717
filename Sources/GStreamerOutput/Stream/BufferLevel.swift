import Synchronization

/// How much of the current track lies ready; looked up when somebody asks, from any thread.
final class BufferLevel: Sendable {
  private let parts = Mutex<(readAhead: ReadAhead?, timeline: Timeline)?>(nil)

  /// Nil while nothing plays.
  func follow(_ parts: (ReadAhead?, Timeline)?) {
    self.parts.withLock { $0 = parts }
  }

  /// What is read ahead and what waits for the device.
  var duration: Duration {
    guard let parts = parts.withLock({ $0 }) else { return .zero }
    return (parts.readAhead?.duration ?? .zero) + parts.timeline.waiting
  }
}
