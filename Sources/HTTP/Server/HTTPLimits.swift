/// Limits of the HTTP server, per peer and in total.
public struct HTTPLimits: Sendable, Hashable {
  /// Connections at the same time.
  public var connections = 128
  /// Connections from one address at the same time.
  public var connectionsPerAddress = 64
  /// The longest request line, in bytes; a longer one is answered with 414.
  public var requestLineBytes = 4096
  /// Request line and header fields together, in bytes; more is answered with 431.
  public var headBytes = 16 * 1024
  /// Header fields of one request; more are answered with 431.
  public var headerCount = 64
  /// The longest body, in bytes; a longer one is answered with 413.
  public var bodyBytes = 256 * 1024
  /// Bytes of unfinished requests on all connections; beyond it, the connection with most is closed first.
  public var unfinishedBytes = 512 * 1024
  /// Bytes of responses not yet taken, on all connections; beyond it, the connection with most is closed first.
  public var unsentResponseBytes = 32 * 1024 * 1024
  /// Seconds from the first byte of a request (or from the start of the connection) to the end of its head.
  public var headSeconds = 10
  /// Seconds from the end of the head to the end of the body. Of one that is taken in pieces, ``bodyProgress`` bytes or its
  /// rest.
  public var bodySeconds = 20
  /// Bytes of a body taken in pieces that have to come within ``bodySeconds``.
  public var bodyProgress = 64 * 1024
  /// Seconds for a peer to take a waiting response.
  public var responseSeconds = 20
  /// Seconds for a responder to give an answer that comes later; then the peer gets 503.
  public var answerSeconds = 30
  /// Bytes of a streaming response that its reader hasn't taken yet; beyond it, the connection is closed.
  public var streamBytes = 256 * 1024
  /// Seconds that the reader of a streaming response may take nothing while something waits for it.
  public var streamSeconds = 20
  /// Seconds that a connection may stay open between two requests.
  public var keepAliveSeconds = 30
  /// Requests answered in a row on one connection before others have their turn.
  public var pipelineDepth = 8

  public init() {}
}
