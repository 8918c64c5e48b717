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

  // MARK: From the control thread

  /// How much has gone to the device.
  var fill: DeviceFill { state.withLock { $0.fill } }

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
    }
  }

  // MARK: From a source's thread

  /// Makes the waiting sources check again whether their samples are wanted.
  func wakeSources() { state.change { _ in } }

  /// Waits until `source` may push samples of `format`, or until they aren't wanted any more.
  ///
  /// - Parameter isWanted: called with the lock held.
  func waitForTurn(_ source: Int, _ format: StreamFormat, isWanted: () -> Bool) -> Turn {
    state.wait { current in
      guard isWanted() else { return .unwanted }
      guard current.hasTurn(source, format), !current.fill.isFull else { return nil }
      return .granted(queued: current.fill.queued)
    }
  }

  /// Pushes a block of `source`, if it is its turn.
  ///
  /// - Parameters:
  ///   - take: returns the block and gives up its ownership. The block must have the format that is passed (nil: any).
  ///     Called with the lock held: for other threads, a block is either still in its source or already queued.
  ///   - placed: called with the lock held, so that notices keep their order among those of the device.
  func put(
    from source: Int, take: (StreamFormat?) -> PCMBlock?, placed: (Placement) -> Void
  ) {
    let entry = state.withLock { current -> SoundEntry? in
      guard current.turn == source, let entry = current.entry, let block = take(current.fill.format)
      else { return nil }
      let endsStarvation = current.fill.isStarved
      let start = current.fill.put(frames: block.frames, format: block.format, due: block.due)
      let running = block.format.nanoseconds(frames: start)
      placed(Placement(running: running, endsStarvation: endsStarvation))
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
