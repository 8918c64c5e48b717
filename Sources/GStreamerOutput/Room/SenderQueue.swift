import CGStreamer
import Rooms

/// The sound on its way to the device that other rooms are still to be sent. Pure but for the references to buffers that
/// it owns.
///
/// Places are frames of the device's session.
struct SenderQueue: Sendable {
  /// A sender's messages hold 5 ms.
  private static let messagesPerSecond = 200

  /// Faster sound is sent with half or a quarter of its samples per second.
  var maximumRate = 96000
  /// Nobody listens: nothing is kept.
  private(set) var isActive = false
  /// Number of the device's session.
  private(set) var session = 0
  private var entries: [SenderEntry] = []
  /// Where that which has been taken ends.
  private var taken = 0
  /// Something has been taken since the last halt.
  private var isSounding = false
  /// A halt is to be sent.
  private var owesHalt = false
  private var fade = SenderFade()
  /// No more comes.
  private var isEnding = false
  /// Number of the next sample, for its dither.
  private var index: UInt32 = 0
  /// Halves the rate of what it has been given since ``dividedStart``; nil while that isn't needed.
  private var divider: RateDivider?
  private var dividedStart = 0
  private var dividedEnd = 0

  // MARK: From the device's side

  mutating func setActive(_ isActive: Bool) {
    self.isActive = isActive
    if !isActive { clear() }
    isSounding = false
    owesHalt = false
  }

  /// Takes a reference of its own to what goes to the device.
  mutating func put(_ block: PCMBlock, from start: Int, play: UInt64?) {
    guard isActive else { return }
    gst_mini_object_ref(
      UnsafeMutableRawPointer(block.buffer.object).assumingMemoryBound(to: GstMiniObject.self))
    entries.append(SenderEntry(block: block, start: start, play: play))
    isEnding = false
  }

  /// Silence from `start` on makes everything behind it later.
  mutating func insert(_ pause: PCMBlock, at start: Int) {
    guard isActive else { return }
    let later = entries.filter { $0.end > start }
    for entry in entries where entry.end <= start { Self.release(entry) }
    entries = []
    put(pause, from: start, play: nil)
    for var entry in later {
      entry.start += pause.frames
      entries.append(entry)
    }
    // What had been taken beyond is sent once more: the device plays it now.
    taken = start
    fade.outFrom = nil
    fade.inFrom = start + pause.frames
  }

  /// The device begins anew with nothing in it.
  mutating func begin(_ session: Int) {
    clear()
    self.session = session
    if isSounding { owesHalt = true }
    isSounding = false
  }

  /// The sound ends soon. Returns the place from which on it fades out everywhere: behind what others have been sent, and
  /// behind what the device has. Nil: at once.
  ///
  /// - Parameter passed: where that which the device has ends.
  mutating func fadeOut(after passed: Int) -> Int? {
    guard isActive, isSounding, !entries.isEmpty else { return nil }
    let from = fade.outFrom ?? max(taken, passed)
    fade.outFrom = from
    return from
  }

  /// The sound goes on after all.
  mutating func fadeIn() {
    guard let from = fade.outFrom else { return }
    fade.outFrom = nil
    fade.inFrom = max(from, taken)
  }

  /// No more comes.
  mutating func end() { isEnding = true }

  mutating func clear() {
    for entry in entries { Self.release(entry) }
    entries = []
    taken = 0
    fade = SenderFade()
    isEnding = false
  }

  private static func release(_ entry: SenderEntry) { gst_buffer_unref(entry.block.buffer.object) }

  // MARK: To the sender

  mutating func take(before running: Int64, session: Int) -> SenderFinding {
    if owesHalt { return halt() }
    guard session == self.session else { return .nothing }
    while let first = entries.first, first.end <= taken {
      Self.release(first)
      entries.removeFirst()
    }
    guard let first = entries.first else { return isEnding && isSounding ? halt() : .nothing }
    let format = first.block.format
    skipSilence(heardBefore: running)
    let start = max(taken, first.start)
    let last = fade.end(rate: format.rate) ?? .max
    if start >= last { return isSounding ? halt() : .nothing }
    let due = Int64(clamping: format.nanoseconds(frames: start))
    guard due <= running else { return .later(due) }
    let end = min(Self.messageEnd(after: start, rate: format.rate), last)
    guard let block = make(start, end, mayBeShort: isEnding) else { return .nothing }
    taken = start + block.frames
    isSounding = true
    return .sound(block.sound)
  }

  /// The silence before a sound begins with what is heard one latency from now: nobody needs what is heard before.
  private mutating func skipSilence(heardBefore running: Int64) {
    guard !isSounding, let first = entries.first, first.play == nil, running > 0 else { return }
    let heard = Int(Double(running) / 1e9 * Double(first.block.format.rate))
    taken = max(taken, min(heard, first.end))
  }

  private mutating func halt() -> SenderFinding {
    owesHalt = false
    isSounding = false
    return .halt
  }

  /// Messages end at whole multiples of 5 ms of the session.
  private static func messageEnd(after start: Int, rate: Int) -> Int {
    let number = start * messagesPerSecond / rate
    let end = ((number + 1) * rate) / messagesPerSecond
    return end > start ? end : ((number + 2) * rate) / messagesPerSecond
  }

  /// The sound from `start` to `end`, or to the end of its track; nil if not all of it has come.
  private mutating func make(_ start: Int, _ end: Int, mayBeShort: Bool) -> (frames: Int, sound: SenderBlock)?
  {
    let first = entries[0]
    var reach = first.end
    var parts = [first]
    for entry in entries.dropFirst() {
      guard reach < end, entry.start == reach, entry.play == first.play,
        entry.block.format == first.block.format
      else { break }
      parts.append(entry)
      reach = entry.end
    }
    // The next track begins a message of its own.
    let isWhole = reach >= end || parts.count < entries.count || mayBeShort
    guard isWhole, reach > start else { return nil }
    let stop = min(reach, end)
    let format = first.block.format
    guard let encoding = SampleEncoding(rawValue: format.sample) else { return nil }
    let channels = min(format.channels, 2)
    let divisor = RateDivider.divisor(of: format.rate, most: maximumRate)
    let owner = owner(of: first)
    // A track keeps its depth: receivers take another one for another stream.
    let isShort =
      encoding.bits ?? .max <= 16 && owner.block.factor == 1 && format.channels <= 2 && divisor == 1
    let isExact =
      divisor == 1 && !fade.touches(start..<stop, rate: format.rate)
      && parts.allSatisfy { $0.block.factor == 1 }
    var place = start
    var sound: [UInt8] = []
    if isExact, BigEndian.canCopy(encoding, channels: format.channels, bits: isShort ? 16 : 24) {
      sound.reserveCapacity((stop - start) * channels * 3)
      for part in parts { part.appendBytes(start..<stop, as: encoding, to: &sound) }
      index &+= UInt32(truncatingIfNeeded: (stop - start) * channels)
    } else {
      var values: [Double] = []
      values.reserveCapacity((stop - start) * channels)
      for part in parts { part.appendValues(start..<stop, as: encoding, fading: fade, to: &values) }
      if divisor > 1 { (values, place) = divide(values, from: start, to: stop, format, channels, divisor) }
      let isComputed = encoding.bits == nil || divisor > 1
      sound = BigEndian.encoded(values, bits: isShort ? 16 : 24, from: index) { index in
        if isComputed { return true }
        let factor = fade.factor(at: place + index / channels, rate: format.rate)
        return factor != 0 && factor != 1
      }
      index &+= UInt32(truncatingIfNeeded: values.count)
    }
    // Silence before a sound holds the place at which that goes on.
    let shown = (first.play == nil ? first.end : place) - owner.start
    // What a halved rate gives begins a moment before the first frame.
    let media =
      Int64(clamping: owner.block.media) + (shown < 0 ? -1 : 1)
      * Int64(format.nanoseconds(frames: abs(shown)))
    fade.passed(stop, rate: format.rate)
    return (
      stop - start,
      SenderBlock(
        running: Int64(clamping: format.nanoseconds(frames: place)), play: owner.play,
        media: UInt64(max(0, media)), rate: format.rate / divisor, channels: channels,
        bitDepth: isShort ? 16 : 24, samples: sound.count / (channels * (isShort ? 2 : 3)),
        sound: sound)
    )
  }

  /// The entry that says what `entry` belongs to: silence belongs to the sound behind it.
  private func owner(of entry: SenderEntry) -> SenderEntry {
    guard entry.play == nil else { return entry }
    return entries.first { $0.play != nil && $0.block.format == entry.block.format } ?? entry
  }

  /// Halves the rate; what comes out begins at a place that isn't exactly the one where the input begins.
  private mutating func divide(
    _ values: [Double], from start: Int, to stop: Int, _ format: StreamFormat, _ channels: Int, _ divisor: Int
  ) -> ([Double], place: Int) {
    let isGoingOn =
      divider.map { $0.rate == format.rate && $0.channels == channels && $0.divisor == divisor } ?? false
    if !isGoingOn || dividedEnd != start {
      divider = RateDivider(rate: format.rate, channels: channels, divisor: divisor)
      dividedStart = start
    }
    dividedEnd = stop
    guard let divider else { return ([], start) }
    let place = dividedStart + divider.made * divisor
    return (divider.divide(values), place)
  }
}
