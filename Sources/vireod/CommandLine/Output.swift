import Glibc

/// Standard output and standard error of commands that print something and exit.
enum Output {
  /// Writes `text` to standard output.
  ///
  /// - Throws: ``ExitCode/inputOutput`` when that fails (a full disk, a closed pipe).
  static func print(_ text: String) throws(ExitCode) {
    guard write(text, to: STDOUT_FILENO) else { throw .inputOutput }
  }

  /// Writes an error to standard error.
  static func complain(_ text: String) {
    _ = write("vireod: \(text)\n", to: STDERR_FILENO)
  }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }
}
