import NIOCore

/// Deadlines.
extension Connection {
  mutating func wait(_ wait: ConnectionDeadline.Wait, _ seconds: Int, _ now: NIODeadline) {
    deadline = ConnectionDeadline(wait, at: now + .seconds(Int64(seconds)))
  }

  /// Does what is due at `now`; may be called before the deadline.
  mutating func elapsed(now: NIODeadline) -> Action? {
    guard let due = deadline, now >= due.at else { return nil }
    switch state {
    case .closed, .checking, .responding, .answeredEarly, .building: return nil
    case .waiting:
      // The peer has sent its request in time; the server hasn't had time for it yet.
      deadline?.at = now + .seconds(1)
      return nil
    case .pending(let form):
      var refusal = HTTPResponse.refusal(.serviceUnavailable)
      refusal.closes = true
      state = .ending
      wait(.response, limits.responseSeconds, now)
      return .giveUp(refusal, form)
    case .taking(_, wanted: 0, _):
      // The peer waits for the server, not the server for the peer.
      deadline?.at = now + .seconds(5)
      return nil
    case .taking(let form, _, _):
      state = .ending
      wait(.response, limits.responseSeconds, now)
      return .giveUp(.refusal(.requestTimeout), form)
    case .reading: return lateInReading(due.wait, now)
    case .blocked, .streaming, .ending, .draining:
      let isSlow = due.wait == .response || due.wait == .stream
      return close(isSlow ? .timeout : nil)
    }
  }

  private mutating func lateInReading(_ wait: ConnectionDeadline.Wait, _ now: NIODeadline) -> Action {
    switch wait {
    case .head where inbox.readableBytes > 0, .body: refuse(.requestTimeout, now)
    case .head, .response, .nextRequest, .answer, .stream, .closing: close(nil)
    }
  }
}
