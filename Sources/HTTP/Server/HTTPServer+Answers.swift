import NIOCore

/// Answers that come later, and those that are sent piece by piece.
extension HTTPServer {
  /// Gives the answer to a request that was answered with ``Answer/later``; does nothing when it isn't wanted any more.
  public func complete(_ id: RequestID, with response: HTTPResponse) {
    let isTaken = withConnection(id) { $0.complete(id.number, with: response, $1) }
    if isTaken != true { response.whenSent?(false) }
  }

  /// Sends a piece of the body of a response that began as ``Answer/streaming(_:)``.
  ///
  /// - Returns: false when nobody reads it any more, or its reader was too slow and has been dropped.
  @discardableResult
  public func write(_ piece: ByteBuffer, to id: RequestID) -> Bool {
    withConnection(id) { $0.write(piece, number: id.number, $1) } ?? false
  }

  /// Ends a response that began as ``Answer/streaming(_:)``.
  public func end(_ id: RequestID) {
    withConnection(id) { $0.end(id.number, $1) }
  }

  /// Asks for so many further pieces of a body that is taken in pieces; the first call lets the body come. A piece has what
  /// the socket gives at once, some kilobytes. Does nothing when the request isn't there any more.
  public func want(_ pieces: Int, of id: RequestID) {
    withConnection(id) { $0.want(pieces, number: id.number, $1) }
  }

  /// Tells the responders that an answer isn't wanted any more.
  func abandoned(_ id: RequestID) {
    for responder in responders { responder.abandoned(id) }
  }

  /// Tells the responders that a streaming answer has been taken as far as it was written.
  func taken(_ id: RequestID) {
    for responder in responders { responder.taken(id) }
  }

  @discardableResult
  private func withConnection<Result>(
    _ id: RequestID, _ body: (ConnectionHandler, ChannelHandlerContext) -> Result
  ) -> Result? {
    guard let channel = channels[id.connection]?.channel,
      let context = try? channel.pipeline.syncOperations.context(handlerType: ConnectionHandler.self),
      let handler = context.handler as? ConnectionHandler
    else { return nil }
    return body(handler, context)
  }
}
