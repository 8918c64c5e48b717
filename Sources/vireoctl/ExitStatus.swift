import ControlPoint

/// How the program ends: as `sysexits.h` has it, where that has a word for it.
enum ExitStatus: Int32, Sendable {
  case ok = 0
  /// The device refused.
  case refused = 1
  case usage = 64
  /// No such track, station or object.
  case noInput = 66
  case noDevice = 68
  case unreachable = 69
  case software = 70
  case timedOut = 75
  /// The device's answer makes no sense.
  case nonsense = 76
  case notAllowed = 77
  case interrupted = 130
}

/// Why a command ends early: what is said about it, and the exit status.
struct Failure: Error, Hashable {
  var status: ExitStatus
  var message: String
  /// Further lines, such as the devices to choose from.
  var hints: [String] = []

  init(_ status: ExitStatus, _ message: String, hints: [String] = []) {
    self.status = status
    self.message = message
    self.hints = hints
  }

  /// What a failed request means for the user.
  ///
  /// - Parameter name: the device's name.
  init(_ failure: ActionFailure, from name: String) {
    switch failure {
    case .fault(let error) where error.code == 606:
      self.init(.notAllowed, "\(name) doesn't allow that: \(error.code) \(error.description)")
    case .fault(let error):
      let status: ExitStatus =
        error.code == 701 && error.description.lowercased().contains("object") ? .noInput : .refused
      self.init(status, "\(name) refused: \(error.code) \(error.description)")
    case .status(401), .status(403): self.init(.notAllowed, "\(name) doesn't allow this machine to do that")
    case .status(let status): self.init(.nonsense, "\(name) answered with HTTP status \(status)")
    case .timeout: self.init(.timedOut, "\(name) didn't answer in time")
    case .unreachable: self.init(.unreachable, "\(name) can't be reached")
    case .malformed: self.init(.nonsense, "\(name) answered with something that can't be read")
    case .tooLarge: self.init(.nonsense, "\(name) answered with more than is read")
    case .cancelled: self.init(.interrupted, "interrupted")
    }
  }
}
