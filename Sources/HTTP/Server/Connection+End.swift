import NIOCore

/// How a connection ends.
extension Connection {
  /// The connection has closed. Returns the response that can't be sent any more; nil when there is none.
  @discardableResult
  mutating func closed() -> HTTPResponse? {
    let unsent: HTTPResponse? =
      switch state {
      case .building(let response, _), .answeredEarly(let response, _): response
      default: nil
      }
    state = .closed
    deadline = nil
    inbox = ByteBuffer()
    return unsent
  }

  mutating func close(_ reason: RefusalReason?) -> Action {
    closed()
    return .close(reason)
  }

  mutating func refuse(_ status: HTTPStatus, _ now: NIODeadline) -> Action {
    state = .ending
    wait(.response, limits.responseSeconds, now)
    return .refuse(status)
  }
}
