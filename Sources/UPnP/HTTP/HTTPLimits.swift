/// What one peer, and all of them together, may ask of the HTTP server.
public struct HTTPLimits: Sendable, Hashable {
  /// Connections at one time.
  public var connections = 128
  /// Connections from one address at one time.
  public var connectionsPerAddress = 64
  /// The longest request line, in bytes; a longer one is answered 414.
  public var requestLineBytes = 4096
  /// Request line and header fields together, in bytes; more is answered 431.
  public var headBytes = 16 * 1024
  /// Header fields of one request; more are answered 431.
  public var headerCount = 64
  /// The longest body, in bytes; a longer one is answered 413.
  public var bodyBytes = 256 * 1024
  /// Bytes of unfinished requests on all connections together. Whoever holds the most goes first.
  public var unfinishedBytes = 512 * 1024
  /// Bytes of responses that wait to be taken, on all connections together. Beyond it, who lets most wait goes first.
  public var untakenBytes = 32 * 1024 * 1024
  /// Seconds from the first byte of a request (or from accepting the connection) to the end of its head.
  public var headSeconds = 10
  /// Seconds from the end of the head to the end of the body.
  public var bodySeconds = 20
  /// Seconds in which a peer has to take a waiting response.
  public var responseSeconds = 20
  /// Seconds that a connection may stay open between two requests.
  public var keepAliveSeconds = 30
  /// Requests that one connection gets answered in a row before others have their turn.
  public var pipelineDepth = 8

  public init() {}
}
