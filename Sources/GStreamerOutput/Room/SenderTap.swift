import CGStreamer
import Rooms
import Threads

/// Where other rooms get what this one plays: it sees everything that goes to the device, behind trimming and before
/// volume. While nobody listens it keeps nothing.
///
/// Its lock is taken inside the timeline's and the entry's, never the other way round.
final class SenderTap: SenderSound {
  private struct State: Sendable {
    var queue = SenderQueue()
    /// Until then a device that starts waits for rooms that aren't ready; nanoseconds of the monotonic clock. Nil: none
    /// is waited for.
    var waitsUntil: Int64?
    var wake: (@Sendable () -> Void)?
    /// Told when listeners come or go, and when the wait for rooms ends.
    var onChange: (@Sendable () -> Void)?
  }

  private let state = SharedState(State())
  private let clock: DeviceClock
  /// How long it takes from sending to hearing, in nanoseconds.
  let latency: Int64

  /// A device that starts plays silence for as long as its line of time needs, then for as long as the others need to open
  /// theirs, before they get the first sound.
  private static let settling: Int64 = 500_000_000

  /// - Parameter maximumRate: faster sound is sent with half or a quarter of its samples per second.
  init(clock: DeviceClock, latency: Int64, maximumRate: Int = 96000) {
    self.clock = clock
    self.latency = latency
    state.withLock { $0.queue.maximumRate = maximumRate }
  }

  deinit { state.withLock { $0.queue.setActive(false) } }

  /// Calls `change` when listeners come or go, and when the wait for them is over.
  func onChange(_ change: @escaping @Sendable () -> Void) { state.withLock { $0.onChange = change } }

  // MARK: From the device's side

  var isActive: Bool { state.withLock { $0.queue.isActive } }

  /// How long the silence before the sound is, in nanoseconds; nil while nobody listens.
  var leadIn: Int64? {
    guard isActive else { return nil }
    return latency + (clock.lineKind == .noisy ? 2 : 1) * Self.settling
  }

  /// Whether a device may start now: all rooms are ready, or have had their time.
  func mayBegin(at now: Int64) -> Bool {
    state.withLock { state in
      guard state.queue.isActive, let until = state.waitsUntil else { return true }
      return now >= until
    }
  }

  func put(_ block: PCMBlock, from start: Int, play: UInt64?) {
    wakeAfter { $0.put(block, from: start, play: play) }
  }

  func insert(_ pause: PCMBlock, at start: Int) { wakeAfter { $0.insert(pause, at: start) } }
  func begin(_ session: Int) { wakeAfter { $0.begin(session) } }
  func end() { wakeAfter { $0.end() } }
  func fadeIn() { wakeAfter { $0.fadeIn() } }

  /// See ``SenderQueue/fadeOut(after:)``.
  func fadeOut(after passed: Int) -> Int? { wakeAfter { $0.fadeOut(after: passed) } }

  private func wakeAfter<Result>(_ change: (inout SenderQueue) -> Result) -> Result {
    let (result, wake) = state.withLock { state in
      let result = change(&state.queue)
      return (result, state.queue.isActive ? state.wake : nil)
    }
    wake?()
    return result
  }

  // MARK: From the sender's thread

  func setActive(_ isActive: Bool, wake: @escaping @Sendable () -> Void) {
    let onChange = state.withLock { state in
      state.queue.setActive(isActive)
      state.wake = isActive ? wake : nil
      state.waitsUntil = nil
      return state.onChange
    }
    onChange?()
  }

  func waitForRooms(until time: Int64?) {
    let onChange = state.withLock { state in
      let isNew = state.waitsUntil != time
      state.waitsUntil = time
      return isNew && time == nil ? state.onChange : nil
    }
    onChange?()
  }

  func reading() -> DeviceReading? {
    let session = state.withLock { $0.queue.session }
    return clock.reading(session: session)
  }

  func take(before running: Int64, session: Int) -> SenderFinding {
    state.withLock { $0.queue.take(before: running, session: session) }
  }
}
