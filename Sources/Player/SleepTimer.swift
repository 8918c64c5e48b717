/// Pauses when its time is over. A machine: it is told the time, and says when to be woken.
public struct SleepTimer: Sendable, Equatable {
  /// The longest time that can be set.
  public static let longest = Duration.seconds(24 * 3600 - 1)

  /// When it pauses; nil while it is off.
  public private(set) var end: PlayerInstant?
  /// Rises whenever the timer is set, is switched off, or ends.
  public private(set) var generation: UInt32 = 0
  private var wake: WakeID?

  /// Starts anew; `wake` is the wake-up that was asked for after `time`.
  mutating func start(_ time: Duration, at now: PlayerInstant, wake: WakeID) {
    end = now.advanced(by: time)
    self.wake = wake
    generation &+= 1
  }

  mutating func cancel() {
    guard end != nil else { return }
    end = nil
    wake = nil
    generation &+= 1
  }

  /// Whether the timer ends with this wake-up. One of an earlier timer means nothing.
  mutating func woken(by id: WakeID) -> Bool {
    guard wake == id else { return false }
    cancel()
    return true
  }
}

extension PlayerInstant {
  fileprivate func advanced(by time: Duration) -> PlayerInstant {
    let parts = time.components
    return PlayerInstant(
      nanoseconds: nanoseconds + parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000)
  }
}
