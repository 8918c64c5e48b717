import NIOCore

/// The time by which a connection must make progress.
struct ConnectionDeadline: Hashable {
  /// What the connection waits for.
  enum Wait: Hashable {
    case head
    case body
    /// The peer must take what was sent.
    case response
    case nextRequest
    /// The responder must give an answer.
    case answer
    /// The reader of a streaming response must take some of it.
    case stream
    /// The peer must close its end of a connection that we have closed.
    case closing
  }

  var wait: Wait
  var at: NIODeadline

  init(_ wait: Wait, at: NIODeadline) {
    self.wait = wait
    self.at = at
  }
}
