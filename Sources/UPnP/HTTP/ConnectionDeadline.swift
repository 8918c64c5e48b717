import NIOCore

/// The deadline by which a connection must make progress.
///
/// Its timer is rescheduled only when the deadline moves closer, so it costs a busy connection nothing.
struct ConnectionDeadline {
  /// What the connection waits for.
  enum Wait: Hashable {
    case head
    case body
    case response
    case nextRequest
    /// The peer must close its end of a connection that we have closed.
    case closing
  }

  private(set) var wait = Wait.head
  private(set) var at = NIODeadline.distantFuture
  private var timer: Scheduled<Void>?
  private var timerAt = NIODeadline.distantFuture

  /// Sets what to wait for, and until when; `fire` is called on `eventLoop` at the deadline or earlier.
  mutating func set(
    _ wait: Wait, at: NIODeadline, on eventLoop: any EventLoop, fire: @escaping @Sendable () -> Void
  ) {
    self.wait = wait
    self.at = at
    guard timer == nil || at < timerAt else { return }
    timer?.cancel()
    timerAt = at
    timer = eventLoop.scheduleTask(deadline: at, fire)
  }

  /// Postpones the deadline; the timer is corrected only when it fires.
  mutating func extend(to at: NIODeadline) { self.at = max(self.at, at) }

  /// Must be called when the timer has fired; true at the deadline, otherwise the timer is restarted.
  mutating func isReached(on eventLoop: any EventLoop, fire: @escaping @Sendable () -> Void) -> Bool {
    timer = nil
    guard NIODeadline.now() < at else { return true }
    set(wait, at: at, on: eventLoop, fire: fire)
    return false
  }

  mutating func cancel() {
    timer?.cancel()
    timer = nil
  }
}
