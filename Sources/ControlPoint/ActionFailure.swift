import UPnP

/// Why a call of an action has no result.
public enum ActionFailure: Error, Sendable, Hashable {
  /// The device refused with this UPnP error (UPnP Device Architecture 1.1, 3.2.2). A service that lacks the action, and a
  /// status of 404 or 405 instead of a fault, are 401 (Invalid Action).
  case fault(UPnPError)
  /// The device answered with this HTTP status, and with nothing that says more.
  case status(Int)
  /// The device didn't answer in time.
  case timeout
  /// No connection could be made, or it broke off.
  case unreachable
  /// The answer isn't what the service's description promises.
  case malformed
  /// The answer is longer than what is read of one.
  case tooLarge
  /// The task was cancelled. The device may have done what it was asked to.
  case cancelled
}
