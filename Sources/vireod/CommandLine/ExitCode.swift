/// How the process ends, in the terms of sysexits(3).
enum ExitCode: Int32, Error, Sendable {
  case ok = 0
  /// The command line is wrong.
  case usage = 64
  /// A service that is needed isn't there: the HTTP port is taken.
  case unavailable = 69
  /// Something that can't happen happened.
  case software = 70
  /// Standard output can't be written.
  case inputOutput = 74
  /// The configuration is wrong.
  case configuration = 78
}
