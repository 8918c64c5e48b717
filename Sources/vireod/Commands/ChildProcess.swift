import CLinux
import Glibc

/// Runs a program and waits until it ends, or ends it at a time limit.
///
/// Blocks the calling thread. When this returns, the program and everything that it started in its process group have
/// ended.
enum ChildProcess {
  enum Outcome: Sendable, Equatable {
    case exited(Int32)
    case killed(signal: Int32)
    case timedOut
    /// It couldn't be started; the string says why.
    case failed(String)
  }

  /// The number of output lines that are passed on, and the bytes of each; the rest is read and dropped.
  static let mostLines = 20
  static let longestLine = 400
  /// The time between SIGTERM and SIGKILL.
  static let grace = Duration.milliseconds(500)

  /// Runs a program.
  ///
  /// - Parameters:
  ///   - run: The program.
  ///   - limit: How long it may run.
  ///   - started: Called with the ID of the process group, and with nil once that ID must no longer be used.
  ///   - line: Called with each line that the program writes.
  static func run(
    _ run: ProgramRun, limit: Duration, started: (pid_t?) -> Void = { _ in },
    line: @escaping (String) -> Void
  ) -> Outcome {
    var pipe: [Int32] = [-1, -1]
    guard clinux_pipe(&pipe) == 0 else { return .failed(reason(errno)) }
    let variables = run.variables { name in getenv(name).map { String(cString: $0) } }
    let process = withArray(run.command) { arguments in
      withArray(variables) { clinux_spawn(arguments, $0, pipe[1]) }
    }
    close(pipe[1])
    defer { close(pipe[0]) }
    guard process > 0 else { return .failed(reason(-process)) }
    started(process)
    let watch = clinux_process_descriptor(process)
    defer { if watch >= 0 { close(watch) } }

    var output = OutputLines(line)
    var isOver = wait(for: watch, reading: pipe[0], into: &output, limit)
    let isLate = !isOver
    if isLate {
      kill(-process, SIGTERM)
      isOver = wait(for: watch, reading: pipe[0], into: &output, grace)
    }
    // Kill the whole process group with what the program left running. Until the program is reaped, its ID can't be
    // reused.
    if !isOver { kill(-process, SIGKILL) }
    _ = clinux_await_process(process)
    kill(-process, SIGKILL)
    started(nil)
    output.read(pipe[0])
    output.finish()
    let code = clinux_reap(process)
    if isLate { return .timedOut }
    return code < 0 ? .killed(signal: -code) : .exited(code)
  }

  /// Reads output until the process has ended; false when the limit comes first.
  private static func wait(
    for watch: Int32, reading pipe: Int32, into output: inout OutputLines, _ limit: Duration
  ) -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    var descriptors = [
      pollfd(fd: watch, events: Int16(POLLIN), revents: 0),
      pollfd(fd: pipe, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let rest = (deadline - clock.now).components
      guard rest.seconds >= 0, rest.attoseconds >= 0 else { return false }
      let milliseconds = rest.seconds * 1000 + rest.attoseconds / 1_000_000_000_000_000 + 1
      let count = poll(&descriptors, 2, Int32(clamping: milliseconds))
      if count < 0, errno != EINTR { return false }
      guard count > 0 else { continue }
      if descriptors[1].revents != 0, !output.read(pipe) { descriptors[1].fd = -1 }
      if descriptors[0].revents != 0 { return true }
    }
  }

  private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

  /// Calls `body` with `texts` as C strings, followed by NULL.
  private static func withArray<Result>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}

/// Splits a program's output into a bounded number of lines.
struct OutputLines {
  private let tell: (String) -> Void
  private var line: [UInt8] = []
  private var passedLines = 0
  private var isCut = false

  init(_ tell: @escaping (String) -> Void) {
    self.tell = tell
  }

  /// Reads what is available without blocking; false at the end of the output.
  @discardableResult
  mutating func read(_ descriptor: Int32) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 4096)
    // Bounded, so that a program that writes endlessly doesn't keep us from checking the time limit.
    for _ in 0..<16 {
      let count = Glibc.read(descriptor, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 && errno == EAGAIN }
      for byte in bytes[..<count] { take(byte) }
    }
    return true
  }

  mutating func take(_ byte: UInt8) {
    guard passedLines < ChildProcess.mostLines else {
      isCut = true
      return
    }
    if byte == 0x0a {
      end()
    } else if line.count < ChildProcess.longestLine {
      line.append(byte)
    }
  }

  /// Passes on the last line, and says whether any were dropped.
  mutating func finish() {
    if !line.isEmpty { end() }
    if isCut { tell("… (more was written and left out)") }
  }

  private mutating func end() {
    tell(String(decoding: line, as: UTF8.self))
    line = []
    passedLines += 1
  }
}
