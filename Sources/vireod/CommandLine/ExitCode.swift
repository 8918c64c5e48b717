/// The exit codes of the process, as in sysexits(3).
enum ExitCode: Int32, Error, Sendable {
  case ok = 0
  /// The command line is wrong.
  case usage = 64
  /// Something required is unavailable: the HTTP port is taken, or the network can't be watched.
  case unavailable = 69
  /// An internal error.
  case software = 70
  /// Standard output can't be written.
  case inputOutput = 74
  /// The configuration is wrong.
  case configuration = 78
}
