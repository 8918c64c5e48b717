import CGStreamer

/// What waits at the device's entry, and whether it may pass. Pure but for the references to buffers that it owns.
///
/// One piece is processed at a time, outside of any lock: ``next()`` gives it out together with the chain that processes
/// it, and ``take(back:)`` takes the chain back.
struct EntryQueue: Sendable {
  private struct Entry: Sendable {
    var block: PCMBlock
    /// Its first frame, in frames of the session.
    var start: Int
    /// How many of its frames have passed.
    var used = 0
    /// It is a pause before other rooms can play: the sound after it fades in, not this.
    var isPause = false
  }

  private enum Gate: Equatable {
    case open
    /// The last frames pass; those from this frame of the session on fade out.
    case closing(from: Int)
    /// Nothing passes.
    case shut
  }

  /// Frames that pass next, and what processes them.
  struct Piece: Sendable {
    /// The piece owns a reference to it.
    var buffer: GstPointer<GstBuffer>
    var format: StreamFormat
    var factor: Double
    /// Its first byte in the buffer.
    var offset: Int
    var frames: Int
    /// Its first frame, in frames of the session.
    var start: Int
    var session: Int
    fileprivate var generation: Int
    /// What the ramp was before a pause; nil for sound.
    fileprivate var rampAfter: GainRamp?
    var chain: SoundChain
  }

  /// What is to be done next.
  enum Step: Sendable {
    case pass(Piece)
    /// The device is sent end of stream.
    case end
    /// The sound has faded out: the device has everything that passed.
    case silenced
  }

  /// Each change of the gain takes this fraction of a second: 20 ms.
  private static let rampsPerSecond = 50

  /// Nil while a piece is processed.
  private var chain: SoundChain?
  /// The volume while the gate is open.
  var gain = GainRamp.Gain(1, 1)
  private var gate = Gate.open
  private var entries: [Entry] = []
  /// Where the last frame that passed ends, in frames of the session.
  private(set) var passed = 0
  /// Rate of the frames that passed last.
  private var format: StreamFormat?
  /// The device has nothing left and asks for more.
  private var needsData = false
  /// Nothing follows ``entries``.
  private var isEnding = false
  /// The device was sent end of stream, and asks for no more.
  private var hasEnded = false
  private var session = 0
  /// Changes with each ``clear()``: pieces from before aren't wanted any more.
  private var generation = 0
  private var hasReportedSilence = false

  init(chain: SoundChain) { self.chain = chain }

  // MARK: Requests

  mutating func put(_ block: PCMBlock, from start: Int) {
    entries.append(Entry(block: block, start: start))
  }

  /// The device wants samples.
  mutating func need() {
    needsData = true
    // Report it again: the first report may have come before anybody waited for it.
    hasReportedSilence = false
  }

  /// Fades out, and then holds back what follows.
  ///
  /// - Parameter frame: the frame of the session from which on it fades: what other rooms have been sent is heard; nil: at
  ///   once.
  mutating func close(from frame: Int? = nil) {
    if gate == .open { gate = .closing(from: max(passed, frame ?? passed)) }
  }

  /// Lets `block`, silence, pass before everything that is queued, which is heard that much later.
  ///
  /// - Returns: the silence's first frame, in frames of the session.
  mutating func insert(_ block: PCMBlock) -> Int {
    let start = passed
    for index in entries.indices { entries[index].start += block.frames }
    entries.insert(Entry(block: block, start: start, isPause: true), at: 0)
    return start
  }

  /// Continues right after the last frame that passed, fading in.
  mutating func open() {
    gate = .open
    hasReportedSilence = false
  }

  /// No samples follow.
  mutating func end() { isEnding = true }

  /// Drops everything; the next samples are the first of `session`.
  mutating func begin(_ session: Int) {
    clear()
    self.session = session
  }

  /// Drops everything queued. What is being processed is dropped when it comes back.
  mutating func clear() {
    for entry in entries { gst_buffer_unref(entry.block.buffer.object) }
    entries = []
    gate = .open
    hasReportedSilence = false
    passed = 0
    isEnding = false
    hasEnded = false
    generation += 1
  }

  /// The pipeline has stopped and asks for nothing.
  mutating func stop() {
    clear()
    needsData = false
  }

  // MARK: What follows

  /// Running time after the last frame, in nanoseconds; nil until the faded sound is in the device completely.
  var silence: guint64? {
    gate == .shut && isDrained ? format?.nanoseconds(frames: passed) ?? 0 : nil
  }

  /// The device has everything that passed.
  private var isDrained: Bool { needsData && chain != nil || hasEnded }

  /// What to do now; nil: nothing. Call it after each request, and after each piece.
  mutating func next() -> Step? {
    guard var chain else { return nil }
    move(&chain.gain.ramp)
    self.chain = chain
    switch gate {
    case .shut:
      guard isDrained, !hasReportedSilence else { return nil }
      hasReportedSilence = true
      return .silenced
    case .open:
      guard let first = entries.first else { return ended }
      return needsData ? .pass(piece(first.block.frames - first.used, first, chain)) : nil
    case .closing(let from):
      guard let first = entries.first, needsData else { return nil }
      let most = passed < from ? from - passed : chain.gain.ramp.remaining
      return .pass(piece(min(first.block.frames - first.used, most), first, chain))
    }
  }

  private var ended: Step? {
    mutating get {
      guard isEnding else { return nil }
      isEnding = false
      hasEnded = true
      return .end
    }
  }

  /// Sets the ramp for the next frames, and shuts the gate when it is over.
  private mutating func move(_ ramp: inout GainRamp) {
    let silent = GainRamp.Gain(0, 0)
    let frames = max(1, (format?.rate ?? 44100) / Self.rampsPerSecond)
    switch gate {
    case .open where passed == 0: ramp = GainRamp(gain)
    case .open: ramp.move(to: gain, frames: frames)
    case .closing(let from):
      if passed < from {
        ramp.move(to: gain, frames: frames)
        guard hasEnded || entries.isEmpty && needsData else { return }
      } else {
        ramp.move(to: silent, frames: frames)
        guard passed == 0 || hasEnded || !ramp.isUnderWay || entries.isEmpty && needsData else { return }
      }
      gate = .shut
      // The next samples fade in from silence.
      ramp = GainRamp(silent)
    case .shut: break
    }
  }

  private mutating func piece(_ count: Int, _ first: Entry, _ chain: SoundChain) -> Piece {
    self.chain = nil
    let block = first.block
    let start = first.start + first.used
    if first.used + count == block.frames {
      entries.removeFirst()
    } else {
      entries[0].used += count
      gst_buffer_ref(block.buffer.object)
    }
    passed = start + count
    format = block.format
    return Piece(
      buffer: block.buffer, format: block.format, factor: block.factor,
      offset: first.used * block.format.bytesPerFrame, frames: count, start: start, session: session,
      generation: generation, rampAfter: first.isPause ? chain.gain.ramp : nil, chain: chain)
  }

  /// `piece` has been processed. True if the device gets it now; false if it isn't wanted any more.
  ///
  /// - Parameter isMade: false if there was no memory for it.
  mutating func take(back piece: Piece, isMade: Bool) -> Bool {
    chain = piece.chain
    if let ramp = piece.rampAfter { chain?.gain.ramp = ramp }
    guard piece.generation == generation, isMade else { return false }
    needsData = false
    return true
  }
}
