/// Waiting for a sound device that can't be used: when it is tried again, and for how long. Pure.
struct DeviceWait {
  /// What to do after a failure.
  enum Step: Equatable {
    /// The track waits for the device.
    case wait
    /// A silent stand-in plays instead.
    case standIn
    case giveUp
  }

  /// How often an awaited device that is in use is retried. The program that has it doesn't announce when it releases it.
  private static let pauseWhileInUse = Duration.seconds(5)
  /// How often a server on another host is retried, which can't be watched.
  private static let pauseUnwatched = Duration.seconds(30)
  /// How long a device that refused may take to say why.
  private static let longestRefusal = Duration.milliseconds(100)

  private var recovery: DeviceRecovery
  /// When the device is retried.
  var retry: MonotonicTime?
  /// When the wait for it ends.
  var patience: MonotonicTime?
  /// When a device that refused has had time to say why.
  var refusal: MonotonicTime?

  init(patience: Duration) { recovery = DeviceRecovery(patience: patience) }

  /// The device has played since playback was last started.
  var hasRun: Bool { recovery.hasRun }
  /// A failure has been handled, and the next attempt is scheduled.
  var isWaiting: Bool { retry != nil }
  /// The device refused, and hasn't said why.
  var hasRefused: Bool { refusal != nil }

  /// A new track is started.
  mutating func begin() { recovery.begin() }

  /// The device plays.
  mutating func ran(at now: MonotonicTime) { recovery.ran(at: now) }

  /// The device didn't change its state; the error message that says why is on its way.
  mutating func refused(at now: MonotonicTime) { refusal = now + Self.longestRefusal }

  /// Nothing is waited for.
  mutating func end() { (retry, patience, refusal) = (nil, nil, nil) }

  /// - Parameters:
  ///   - isPaused: a paused track waits for its device without limit.
  ///   - mayStandIn: whether any device will do, so that a stand-in may play until there is one.
  mutating func failed(
    _ fault: DeviceRecovery.Fault, isPaused: Bool, mayStandIn: Bool, at now: MonotonicTime
  ) -> Step {
    end()
    switch recovery.failed(fault, at: now) {
    case .tryAgain(let time): retry = time
    case .wait(let end):
      patience = isPaused ? nil : end
      if fault == .unusable { retry = now + Self.pauseWhileInUse }
    case .giveUp: return fault == .absent && mayStandIn && !recovery.hasRun ? .standIn : .giveUp
    }
    return .wait
  }

  /// Nobody reports when the device appears.
  mutating func retryUnwatched(at now: MonotonicTime) {
    if retry == nil { retry = now + Self.pauseUnwatched }
  }

  /// Something was plugged in or started.
  mutating func cameBack(at now: MonotonicTime) {
    let time = recovery.cameBack(at: now)
    retry = min(retry ?? time, time)
  }

  /// There is still nothing but the stand-in.
  mutating func stillStandsIn(at now: MonotonicTime) {
    if case .tryAgain(let time) = recovery.failed(.absent, at: now) { retry = time }
  }

  /// A device has been found in place of the stand-in.
  mutating func renew() {
    recovery.renew()
    end()
  }

  /// Playback is paused.
  mutating func pause() { patience = nil }

  /// Playback is resumed: the device is retried at once, and then awaited for the whole time again.
  mutating func resume(at now: MonotonicTime) {
    recovery.renew()
    retry = now
  }
}
