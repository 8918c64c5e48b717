/// Decides whether to feed systemd's watchdog: only when the event loop runs *and* the output's thread answers.
///
/// Pure. ``WatchdogService`` calls ``tick()`` twice per watchdog period on the event loop, and ``answered(_:)`` when the
/// output's thread has answered.
struct Watchdog: Sendable, Equatable {
  enum Action: Sendable, Equatable {
    /// Ask the output's thread to answer with this number.
    case ask(UInt64)
    /// The last question is unanswered: don't feed the watchdog, and log it once.
    case complain
    case wait
  }

  private var asked: UInt64 = 0
  private var isWaiting = false
  private var hasComplained = false

  /// The period between two ticks; nil when there is no watchdog, or when it isn't for this process
  /// (sd_watchdog_enabled(3)).
  ///
  /// - Parameters:
  ///   - microseconds: `WATCHDOG_USEC`
  ///   - forProcess: `WATCHDOG_PID`, when set.
  ///   - process: This process.
  static func period(microseconds: String?, forProcess: String?, process: Int32) -> Duration? {
    guard let microseconds, let number = Int64(microseconds), number > 0 else { return nil }
    if let forProcess, forProcess != String(process) { return nil }
    return .microseconds(number / 2)
  }

  mutating func tick() -> Action {
    if isWaiting {
      defer { hasComplained = true }
      return hasComplained ? .wait : .complain
    }
    asked += 1
    isWaiting = true
    return .ask(asked)
  }

  /// Takes an answer; true when the watchdog is to be fed.
  mutating func answered(_ number: UInt64) -> Bool {
    guard isWaiting, number == asked else { return false }
    isWaiting = false
    hasComplained = false
    return true
  }
}
