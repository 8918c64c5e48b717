/// Decides what to do while the sound device can't be used. Pure; the engine carries it out.
///
/// A failed device is retried a few times. If it has worked before and is absent (unplugged, switched off, its server
/// stopped), it is then awaited for as long as ``patience``, without retries: a watch reports when it may be back
/// (``cameBack(at:)``).
struct DeviceRecovery {
  enum Fault {
    /// It isn't there.
    case absent
    /// It is there, but in use, broken, or of another format.
    case unusable
  }

  enum Step: Equatable {
    case tryAgain(at: MonotonicTime)
    case wait(until: MonotonicTime)
    case giveUp
  }

  /// Pauses between retries. After something was plugged in, the last retry follows within five seconds.
  static let backOff: [Duration] = [.milliseconds(200), .milliseconds(500), .seconds(1), .seconds(2)]
  /// A device that has played for this long counts as working again.
  private static let settled = Duration.seconds(5)

  let patience: Duration
  private var attempts = 0
  private var runsSince: MonotonicTime?
  private var awaySince: MonotonicTime?
  /// The device has played at some time: its name is right, and it will be back.
  private var hasWorked = false
  /// The device has played since playback was last started.
  private(set) var hasRun = false

  init(patience: Duration) {
    self.patience = patience
  }

  /// A new track is started.
  mutating func begin() {
    renew()
    hasRun = false
  }

  /// Playback is resumed: from now on the device is awaited for the full ``patience`` again.
  mutating func renew() {
    attempts = 0
    runsSince = nil
    awaySince = nil
  }

  /// The device plays.
  mutating func ran(at now: MonotonicTime) {
    hasWorked = true
    hasRun = true
    runsSince = now
    awaySince = nil
  }

  mutating func failed(_ fault: Fault, at now: MonotonicTime) -> Step {
    // A device that breaks as soon as it plays isn't retried for ever.
    if let runsSince, runsSince + Self.settled <= now { attempts = 0 }
    runsSince = nil
    if fault == .absent, hasWorked, awaySince == nil { awaySince = now }
    if attempts < Self.backOff.count {
      defer { attempts += 1 }
      return .tryAgain(at: now + Self.backOff[attempts])
    }
    guard let end = awaySince.map({ $0 + patience }), now < end else { return .giveUp }
    return .wait(until: end)
  }

  /// Something was plugged in or started. Returns when to look: a card's parts appear in several steps.
  mutating func cameBack(at now: MonotonicTime) -> MonotonicTime {
    attempts = 0
    return now + Self.backOff[0]
  }
}
