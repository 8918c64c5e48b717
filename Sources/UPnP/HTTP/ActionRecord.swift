/// An action that was performed or refused, for metrics.
public struct ActionRecord: Sendable, Hashable {
  /// `AVTransport`
  public var service: String
  /// As the service's description names it; empty for one that the service doesn't have. Never a peer's text, so
  /// there can't be many different ones.
  public var action: String
  /// UPnP error code; nil when it succeeded.
  public var fault: Int?
  /// From the complete request to the complete response, in nanoseconds.
  public var nanoseconds: Int64

  public init(service: String, action: String, fault: Int?, nanoseconds: Int64) {
    self.service = service
    self.action = action
    self.fault = fault
    self.nanoseconds = nanoseconds
  }
}
