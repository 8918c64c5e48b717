/// Whether to tell systemd's watchdog that we are alive: only when the event loop runs *and* the player's output
/// thread answers.
///
/// Pure. The shell calls ``tick()`` twice per watchdog period on the event loop, and ``answered(_:)`` when the
/// output thread has answered.
struct Watchdog: Sendable, Equatable {
  enum Action: Sendable, Equatable {
    /// Ask the output thread to answer with this number.
    case ask(UInt64)
    /// It hasn't answered the last question yet: say nothing to systemd, and say so in the log once.
    case complain
    case wait
  }

  private var asked: UInt64 = 0
  private var isWaiting = false
  private var hasComplained = false

  /// Period between two ticks; nil when there is no watchdog, or it isn't ours (sd_watchdog_enabled(3)).
  ///
  /// - Parameters:
  ///   - microseconds: `WATCHDOG_USEC`
  ///   - forProcess: `WATCHDOG_PID`, when set.
  ///   - process: Our own process.
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

  /// True when systemd is to be told.
  mutating func answered(_ number: UInt64) -> Bool {
    guard isWaiting, number == asked else { return false }
    isWaiting = false
    hasComplained = false
    return true
  }
}
