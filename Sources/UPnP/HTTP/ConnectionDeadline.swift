import NIOCore

/// The one moment at which a connection has to have made progress, with a timer that is moved only when the
/// moment comes nearer; a busy connection pays nothing for it.
struct ConnectionDeadline {
  /// What has to happen until then.
  enum Wait: Hashable {
    case head
    case body
    case response
    case nextRequest
    /// The peer's end of a connection that we have closed.
    case closing
  }

  private(set) var wait = Wait.head
  private(set) var at = NIODeadline.distantFuture
  private var timer: Scheduled<Void>?
  private var timerAt = NIODeadline.distantFuture

  /// Sets what is waited for; `fire` is called on `eventLoop` at the deadline, or before it.
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

  /// Moves the moment away; the timer finds out when it fires.
  mutating func extend(to at: NIODeadline) { self.at = max(self.at, at) }

  /// To be called when the timer has fired: true when the deadline is reached; otherwise the timer starts anew.
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
