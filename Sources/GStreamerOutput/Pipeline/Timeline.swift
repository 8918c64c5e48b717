import CGStreamer
import Threads

/// What the threads of the sources share: which source may push samples into the device, and how much has gone there.
final class Timeline: Sendable {
  private struct State: Sendable {
    /// The source that may push; nil while none may.
    var turn: Int?
    /// The device's entry.
    var entry: SoundEntry?
    /// Number of ``entry``'s session. Frames that the device takes from an earlier one aren't counted.
    var session = 0
    var fill = DeviceFill()

    func hasTurn(_ source: Int, _ format: StreamFormat) -> Bool {
      // Without a device the samples would be lost.
      turn == source && entry != nil && (fill.format ?? format) == format
    }
  }

  /// How the wait for a turn has ended.
  enum Turn {
    /// The source may push; `queued` frames wait for the device.
    case granted(queued: Int)
    case unwanted
  }

  /// Where a block of samples went.
  struct Placement {
    /// Running time of its first frame, in nanoseconds.
    var running: guint64
    /// The device had taken everything before.
    var endsStarvation: Bool
  }

  private let state = SharedState(State())
  /// Sees everything that goes to the device.
  private let tap: SenderTap?

  init(tap: SenderTap? = nil) {
    self.tap = tap
    tap?.onChange { [weak self] in self?.listenersChanged() }
  }

  /// Other rooms listen, or none any more, or they are ready now.
  private func listenersChanged() {
    guard let tap else { return }
    let isSending = tap.isActive
    state.change { $0.fill.isSending = isSending }
  }

  // MARK: From the control thread

  /// How much has gone to the device.
  var fill: DeviceFill { state.withLock { $0.fill } }

  /// Number of the device's session: another one begins with nothing in the device, and counts anew.
  var session: Int { state.withLock { $0.session } }

  /// Lets only `source` push; nil stops all. A push that had begun before is complete when this returns.
  func grant(_ source: Int?) {
    state.change { $0.turn = source }
  }

  /// The device has run dry and is paused until enough is queued.
  func refill() {
    state.change { $0.fill.refill() }
  }

  /// The device resumes.
  func endRefilling() {
    state.withLock { $0.fill.endRefilling() }
  }

  /// Begins a session at zero, with an empty `entry`; nobody may push.
  func reset(entry: SoundEntry?, forgetFormat: Bool) {
    state.change { state in
      state.entry = entry
      state.session += 1
      state.turn = nil
      state.fill.reset(forgetFormat: forgetFormat)
      entry?.begin(state.session)
      tap?.begin(state.session)
    }
  }

  /// The device goes on after a pause: while other rooms listen, it first plays silence for as long as they need. Returns
  /// the running time at which that begins, and how long it lasts, in nanoseconds.
  func leadIn() -> (running: guint64, length: guint64) {
    let (entry, running, length) = state.withLock { current -> (SoundEntry?, guint64, guint64) in
      guard let entry = current.entry, let format = current.fill.format, !current.fill.isEmpty,
        let pause = pause(of: format)
      else { return (nil, 0, 0) }
      let start = entry.insert(pause)
      current.fill.insert(frames: pause.frames)
      tap?.insert(pause, at: start)
      return (entry, format.nanoseconds(frames: start), format.nanoseconds(frames: pause.frames))
    }
    entry?.feed()
    return (running, length)
  }

  /// The silence before the first sound; nil while nobody listens. The caller owns its buffer.
  private func pause(of format: StreamFormat) -> PCMBlock? {
    tap?.leadIn.flatMap { PCMBlock.silence(nanoseconds: $0, format: format) }
  }

  // MARK: From a source's thread

  /// Makes the waiting sources check again whether their samples are wanted.
  func wakeSources() { state.change { _ in } }

  /// Waits until `source` may push samples of `format`, or until they aren't wanted any more.
  ///
  /// - Parameters:
  ///   - isShared: other rooms hear it too, if they listen; they must be ready first.
  ///   - isWanted: called with the lock held.
  func waitForTurn(
    _ source: Int, _ format: StreamFormat, isShared: Bool = false, isWanted: () -> Bool
  ) -> Turn {
    state.wait { current in
      guard isWanted() else { return .unwanted }
      guard current.hasTurn(source, format), !current.fill.isFull else { return nil }
      if isShared, current.fill.isEmpty, let tap,
        !tap.mayBegin(at: Int64(clamping: MonotonicTime.now.nanoseconds))
      {
        return nil
      }
      return .granted(queued: current.fill.queued)
    }
  }

  /// Pushes a block of `source`, if it is its turn.
  ///
  /// - Parameters:
  ///   - take: returns the block and gives up its ownership. The block must have the format that is passed (nil: any).
  ///     Called with the lock held: for other threads, a block is either still in its source or already queued.
  ///   - placed: called with the lock held, so that notices keep their order among those of the device.
  ///   - play: the attempt to play that the source belongs to; nil for what another room sends, which isn't sent on.
  func put(
    from source: Int, play: UInt64? = nil, take: (StreamFormat?) -> PCMBlock?, placed: (Placement) -> Void
  ) {
    let entry = state.withLock { current -> SoundEntry? in
      guard current.turn == source, let entry = current.entry, let block = take(current.fill.format)
      else { return nil }
      let endsStarvation = current.fill.isStarved
      if play != nil, current.fill.isEmpty, let pause = pause(of: block.format) {
        let start = current.fill.put(frames: pause.frames, format: pause.format)
        tap?.put(pause, from: start, play: nil)
        entry.queue(pause, from: start)
      }
      let start = current.fill.put(frames: block.frames, format: block.format, due: block.due)
      let running = block.format.nanoseconds(frames: start)
      placed(Placement(running: running, endsStarvation: endsStarvation))
      if let play { tap?.put(block, from: start, play: play) }
      entry.queue(block, from: start)
      return entry
    }
    entry?.feed()
  }

  // MARK: From the device's entry

  /// The device took `frames` of `session`.
  ///
  /// - Parameter isDry: called with the lock held if the device has just run dry.
  func took(frames: Int, of session: Int, isDry: () -> Void) {
    state.withLock { current in
      guard session == current.session else { return }
      let change = current.fill.took(frames: frames)
      if change.hasRoom { state.wakeAll() }
      if change.isDry { isDry() }
    }
  }
}
