import Glibc

/// Writes results to stdout, and everything else to stderr.
struct Output: Sendable {
  let style: OutputStyle
  let isQuiet: Bool

  init(_ options: GlobalOptions) {
    isQuiet = options.quiet
    if options.json {
      style = .json
    } else if isatty(STDOUT_FILENO) == 1 {
      style = .terminal(width: Self.terminalWidth, isStyled: getenv("NO_COLOR") == nil && Self.hasStyles)
    } else {
      style = .plain
    }
  }

  func show(_ report: Report) throws {
    guard !isQuiet else { return }
    let lines = report.lines(style)
    if lines.isEmpty, let text = report.whenEmpty { return note(text) }
    try write(lines.map { $0 + "\n" }.joined())
  }

  /// Tells something that isn't a result.
  func note(_ text: String) {
    guard !isQuiet else { return }
    Self.writeError("vireoctl: \(TerminalText.shown(text))\n")
  }

  static func complain(_ failure: Failure) {
    writeError("vireoctl: \(TerminalText.shown(failure.message))\n")
    for hint in failure.hints { writeError("  \(TerminalText.shown(hint))\n") }
  }

  /// - Throws: ``Failure`` when nobody reads any more.
  func write(_ text: String) throws {
    guard !isQuiet else { return }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EPIPE { throw Failure(.interrupted, "nobody reads") }
        throw Failure(.software, "can't write: \(String(cString: strerror(errno)))")
      }
      bytes = bytes.dropFirst(count)
    }
  }

  /// - Throws: ``Failure`` when nobody reads any more, as behind `| head -1`.
  func checkReader() throws {
    var state = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    if poll(&state, 1, 0) > 0, state.revents & Int16(POLLERR) != 0 {
      throw Failure(.interrupted, "nobody reads")
    }
  }

  static func writeError(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  private static var terminalWidth: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return max(40, Int(size.ws_col))
  }

  private static var hasStyles: Bool { getenv("TERM").map { strcmp($0, "dumb") != 0 } ?? false }
}
