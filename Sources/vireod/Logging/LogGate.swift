import Logging
import Synchronization

/// The last stage before ``LogSink``: limits floods of lines (``LogRateLimiter``).
final class LogGate: Sendable {
  struct Line: Sendable {
    var level: Logger.Level
    var part: LogPart
    var message: String
    var metadata: [(key: String, value: String)] = []
  }

  /// Calls back after the given time, on any thread.
  typealias Timer = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

  private struct State: Sendable {
    var flood = LogRateLimiter<Line>()
    var timer: Timer?
    var isTimed = false
  }

  /// The last warnings and errors.
  let recent = RecentLines()
  private let sink: LogSink
  private let clock: @Sendable () -> Duration
  private let state = Mutex(State())

  init(sink: LogSink, clock: (@Sendable () -> Duration)? = nil) {
    self.sink = sink
    let start = ContinuousClock.now
    self.clock = clock ?? { start.duration(to: .now) }
  }

  /// Sets the timer. Before that, summaries are logged only with the next line.
  func set(timer: @escaping Timer) {
    state.withLock { $0.timer = timer }
    settle()
  }

  /// Writes `line` or holds it back. Never blocks.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - kind: The place in the code.
  ///   - countsNothing: Whether the level is so verbose that every line is to be logged.
  func write(_ line: Line, of kind: LogRateLimiter<Line>.Kind, countsNothing: Bool) {
    // Log due summaries first, which also begins a new count.
    settle()
    let isWritten = state.withLock { countsNothing || $0.flood.mayWrite(line, of: kind, now: clock()) }
    settle()
    if isWritten { put(line) }
  }

  /// Logs all summaries, at exit.
  func flush() { settle(all: true) }

  /// Logs the summaries that are due, and sets the timer for the others. There is no timer when no lines are held back.
  private func settle(all: Bool = false) {
    let (due, time, timer) = state.withLock { state in
      let now = clock()
      let due = state.flood.due(now: now, all: all)
      guard let next = state.flood.nextDue, let timer = state.timer, !state.isTimed else {
        return (due, Duration.zero, Timer?.none)
      }
      state.isTimed = true
      return (due, max(next - now, .zero), timer)
    }
    for summary in due {
      var line = summary.last
      line.message =
        "\(summary.count) more of these in \(summary.time.components.seconds) s ([log] \(line.part.rawValue) = \"debug\" shows each); the last: \(line.message)"
      put(line)
    }
    timer?(time) { [weak self] in
      self?.state.withLock { $0.isTimed = false }
      self?.settle()
    }
  }

  private func put(_ line: Line) {
    recent.take(line)
    sink.write(
      LogLine.format(
        sink.style, time: LogTime.now(), level: line.level, part: line.part.rawValue, message: line.message,
        metadata: line.metadata))
  }
}
