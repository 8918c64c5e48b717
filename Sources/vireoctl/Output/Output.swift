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
    try Self.write(text, to: STDOUT_FILENO)
  }

  /// Writes all of it, also to what doesn't take everything at once.
  ///
  /// - Throws: ``Failure`` when it can't be written, or the task is cancelled while nobody reads.
  static func write(_ text: String, to descriptor: CInt) throws {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count < 0 else {
        bytes = bytes.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        guard !Task.isCancelled else { throw Failure(.interrupted, "interrupted") }
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&state, 1, 200)
      case EPIPE: throw Failure(.interrupted, "nobody reads")
      case let code: throw Failure(.software, "can't write: \(String(cString: strerror(code)))")
      }
    }
  }

  /// - Throws: ``Failure`` when nobody reads any more, as behind `| head -1`.
  func checkReader() throws {
    var state = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    if poll(&state, 1, 0) > 0, state.revents & Int16(POLLERR) != 0 {
      throw Failure(.interrupted, "nobody reads")
    }
  }

  static func writeError(_ text: String) { try? write(text, to: STDERR_FILENO) }

  private static var terminalWidth: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return max(40, Int(size.ws_col))
  }

  private static var hasStyles: Bool { getenv("TERM").map { strcmp($0, "dumb") != 0 } ?? false }
}
