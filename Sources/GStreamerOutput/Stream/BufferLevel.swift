import Synchronization

/// How much of the current track is buffered; any thread may ask.
final class BufferLevel: Sendable {
  private let parts = Mutex<(readAhead: ReadAhead?, timeline: Timeline)?>(nil)

  /// Sets what is measured; nil while nothing plays.
  func follow(_ parts: (ReadAhead?, Timeline)?) {
    self.parts.withLock { $0 = parts }
  }

  /// What is read ahead and what is queued for the device.
  var duration: Duration {
    guard let parts = parts.withLock({ $0 }) else { return .zero }
    return (parts.readAhead?.duration ?? .zero) + parts.timeline.fill.waiting
  }
}
