/// Limits of an HTTP client.
package struct HTTPClientLimits: Sendable, Hashable {
  /// Timeout for connecting, in seconds.
  package var connectSeconds = 5
  /// Connections that stay open after a response, if the server allows it; 0 for none.
  package var keptConnections = 64
  /// Seconds that such a connection waits for the next request; 0 keeps none.
  package var keptSeconds = 3
  /// Only a server that answers within this time is sent another request on the same connection.
  package var promptMilliseconds = 500
  /// Seconds until a request on a kept connection is given up, and the next one sent on a new connection.
  package var reuseSeconds = 3
  /// The most bytes that are read of a connection at once; of each, a buffer of that size.
  package var readBytes = 1024

  package init() {}
}
