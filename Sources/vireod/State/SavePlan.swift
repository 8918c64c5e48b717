/// When to write the state: not for every step of a volume slider, and at most a second late.
///
/// Pure. The shell starts the timer, writes, and tells what came of it.
struct SavePlan: Sendable, Equatable {
  enum Action: Sendable, Equatable {
    case nothing
    case startTimer
    case write(SavedState)
  }

  /// How long changes are gathered.
  static let delay = Duration.seconds(1)

  /// What the disk has, as far as we know.
  private var stored: SavedState?
  private var wanted: SavedState
  private var isTimerRunning = false
  private var isWriting = false

  /// - Parameter stored: What was read at start; nil when there was nothing.
  init(stored: SavedState?) {
    self.stored = stored
    wanted = stored ?? SavedState()
  }

  var state: SavedState { wanted }

  mutating func change(_ body: (inout SavedState) -> Void) -> Action {
    body(&wanted)
    return startTimerIfNeeded()
  }

  mutating func timerFired() -> Action {
    isTimerRunning = false
    return write()
  }

  /// The write of `state` is over.
  ///
  /// After a failure nothing is tried again before the next change: a full or read-only disk is no reason to wake
  /// up every second.
  mutating func wrote(_ state: SavedState, successfully: Bool) -> Action {
    isWriting = false
    if successfully { stored = state }
    return state == wanted ? .nothing : startTimerIfNeeded()
  }

  /// What is left to write at the end; nil when the disk has it all.
  mutating func finish() -> SavedState? {
    isTimerRunning = false
    return wanted == stored ? nil : wanted
  }

  private mutating func startTimerIfNeeded() -> Action {
    guard wanted != stored, !isTimerRunning, !isWriting else { return .nothing }
    isTimerRunning = true
    return .startTimer
  }

  private mutating func write() -> Action {
    guard wanted != stored, !isWriting else { return .nothing }
    isWriting = true
    return .write(wanted)
  }
}
