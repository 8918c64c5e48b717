/// The bounds on requests to other devices.
public struct ExchangeLimits: Sendable, Hashable {
  /// Requests that run at the same time.
  public var parallel = 32
  /// Requests to one address and port that run at the same time, so that a device that stalls holds up nobody else.
  public var parallelPerEndpoint = 4
  /// Requests that wait for their turn; more are refused as ``ActionFailure/unreachable``.
  public var waiting = 1024
  /// Timeout for opening a connection, in seconds.
  public var connectSeconds = 4
  /// Connections that stay open after a response, if the device allows it; 0 for none.
  public var keptConnections = 16
  /// Seconds that such a connection waits for the next request.
  public var keptSeconds = 3

  public init() {}
}
