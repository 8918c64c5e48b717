import ControlPoint
import Renderers

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
    let status: ExitStatus =
      switch failure {
      case .fault(let error) where error.code == 606: .notAllowed
      case .fault(let error):
        error.code == 701 && error.description.lowercased().contains("object") ? .noInput : .refused
      case .status(401), .status(403): .notAllowed
      case .status: .nonsense
      case .timeout: .timedOut
      case .unreachable: .unreachable
      case .malformed, .tooLarge: .nonsense
      case .cancelled: .interrupted
      }
    self.init(status, failure.words(name))
  }

  /// What it means that a renderer can't be told something.
  init(_ failure: RendererFailure, from name: String) {
    switch failure {
    case .call(let failure): self.init(failure, from: name)
    case .nothingToPlay(let reasons): self.init(.noInput, failure.words(name), hints: reasons)
    case .lacks, .impossible, .full: self.init(.refused, failure.words(name))
    }
  }
}
