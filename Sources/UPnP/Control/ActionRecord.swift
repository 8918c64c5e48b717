/// An action that was performed or refused, for metrics.
public struct ActionRecord: Sendable, Hashable {
  /// The service's name, for example `AVTransport`.
  public var service: String
  /// The name from the service's description; empty for an unknown action.
  ///
  /// It is never a string from a peer, so the number of different names is limited.
  public var action: String
  /// UPnP error code; nil on success.
  public var fault: Int?
  /// Time from the complete request to the complete response, in nanoseconds.
  public var nanoseconds: Int64

  public init(service: String, action: String, fault: Int?, nanoseconds: Int64) {
    self.service = service
    self.action = action
    self.fault = fault
    self.nanoseconds = nanoseconds
  }
}
