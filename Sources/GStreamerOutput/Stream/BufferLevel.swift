import Threads

/// How much of the current track lies ready; looked up when somebody asks, from any thread.
// Safe to share: what it follows is guarded by `monitor`, and guards itself.
final class BufferLevel: @unchecked Sendable {
  private let monitor = Monitor()
  private var parts: (readAhead: ReadAhead?, timeline: Timeline)?

  /// Nil while nothing plays.
  func follow(_ parts: (ReadAhead?, Timeline)?) {
    monitor.locked { self.parts = parts }
  }

  /// What is read ahead and what waits for the device.
  var duration: Duration {
    guard let parts = monitor.locked({ self.parts }) else { return .zero }
    return (parts.readAhead?.duration ?? .zero) + parts.timeline.waiting
  }
}
