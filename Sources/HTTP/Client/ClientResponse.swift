import NIOCore

/// A response of another host's server.
package struct ClientResponse: Sendable {
  package var status: Int
  /// Empty when only the status was wanted, as is the body.
  package var fields = HeaderFields()
  package var body = ByteBuffer()

  package init(status: Int) { self.status = status }
}

/// What a request wants to know of its response.
package enum WantedResponse: Sendable, Hashable {
  /// The status alone; a body isn't waited for.
  case status
  /// Status, fields and body.
  ///
  /// - Parameters:
  ///   - limit: the longest body, in bytes.
  ///   - hasBody: false for a method whose responses have none (SUBSCRIBE). Many devices don't say so by a length, so
  ///     that one would wait for the end of the connection.
  case whole(limit: Int, hasBody: Bool)
}

/// Why a response can't be read.
package enum ResponseFault: Error, Sendable, Hashable {
  case malformed
  /// The head or the body is longer than allowed.
  case tooLarge
}
