import CGStreamer

/// Decides which decoded frames belong to the recording, counted in frames so that nothing is lost to rounding.
///
/// Decoders clip to a segment in nanoseconds and are a frame off now and then. They leave in what an encoder added
/// before and after the sound, unless the parser before them says otherwise. Pure; fed by the pads' probes.
struct Trimmer {
  /// A demuxer's segment, in nanoseconds: `start` to `stop` of the decoder's time is the recording from `time` on.
  struct Window: Hashable {
    var start: guint64 = 0
    var stop: guint64?
    var time: guint64 = 0
    /// Until `start`, time stamps count and not the samples: a decoder that begins amid a stream may leave out frames.
    var isByClock = false

    /// Begins no earlier than `target` (nanoseconds of the recording), unless that overflows.
    mutating func move(to target: guint64) {
      guard target > time else { return }
      let (later, isTooLate) = start.addingReportingOverflow(target - time)
      guard !isTooLate else { return }
      start = later
      time = target
    }
  }

  /// What is left of a block of decoded frames.
  struct TrimmedBlock: Hashable {
    /// Frames to cut off at the front.
    var drop: Int
    /// Frames to keep.
    var count: Int
    /// Position of the first kept frame in the recording, in frames.
    var position: Int
  }

  /// Encoder delay in frames, if nothing upstream removes it.
  var skip = 0
  /// First decoded frame after the sound, if nothing upstream cuts there.
  var end: Int?
  /// Sample position after the last packet, from the container.
  var granule: Int?
  /// Time after the last packet that went into the decoder, in nanoseconds.
  private(set) var packetEnd: guint64?
  private var window = Window()
  private var next: Int?
  /// Frames before the first sample of a stream that doesn't begin at time zero (a transport stream, a station). All
  /// positions are counted from there, also after a seek.
  private var lead: Int?

  /// Frames by which the demuxer's time is ahead of the position in the recording.
  var ahead: Int { skip + (lead ?? 0) }

  /// A new segment: the start of the stream, or a seek.
  mutating func begin(_ window: Window) {
    self.window = window
    next = nil
    if window.time == 0 { lead = nil }
  }

  /// A packet went into the decoder. Both values come from the file, so their sum may overflow.
  mutating func took(packetAt start: guint64, lasting duration: guint64) {
    let (end, isTooLate) = start.addingReportingOverflow(duration)
    if !isTooLate { packetEnd = end }
  }

  /// Places `frames` decoded frames by `timestamp` (nanoseconds), if any. Returns what to keep; nil: nothing.
  mutating func place(frames: Int, timestamp: guint64?, rate: Int) -> TrimmedBlock? {
    let windowStart = Self.frames(window.start, rate)
    let stamped = timestamp.map { Self.frames($0, rate) }
    if window.isByClock, stamped != nil, let counted = next, counted < windowStart { next = nil }
    let start = next ?? stamped ?? windowStart
    next = start + frames
    let lower = max(start, windowStart, skip)
    var upper = start + frames
    if let stop = window.stop.map({ Self.frames($0, rate) }) {
      upper = min(upper, exactStop(stop, rate))
    }
    if let promised = end, start > promised + Self.longestPadding { end = nil }
    if let end { upper = min(upper, end) }
    // A granule in the past belongs to another count (a radio stream joined midway) and isn't an end.
    if let granule, granule > start { upper = min(upper, granule) }
    guard upper > lower else { return nil }
    let before = lead ?? (window.time == 0 ? lower - max(windowStart, skip) : 0)
    lead = before
    let position = lower - windowStart + Self.frames(window.time, rate) - skip - before
    return TrimmedBlock(drop: lower - start, count: upper - lower, position: max(0, position))
  }

  /// Sound this far after the end is more than an encoder's padding and the decoder's last frames. A station that
  /// plays files sends the first one's tag, and goes on with the next.
  private static let longestPadding = 8192

  /// The end of the last packet, if the segment ends there within the coarse clock of a file header (2 ms).
  private func exactStop(_ stop: Int, _ rate: Int) -> Int {
    guard let last = packetEnd.map({ Self.frames($0, rate) }), abs(last - stop) <= rate / 500 else {
      return stop
    }
    return last
  }

  /// More frames than anything has, and few enough to calculate with, whatever time and rate a file claims.
  private static let mostFrames: guint64 = 1 << 60

  /// Nearest frame of `nanoseconds`; bounded.
  static func frames(_ nanoseconds: guint64, _ rate: Int) -> Int {
    let seconds = nanoseconds / 1_000_000_000
    let rest = nanoseconds % 1_000_000_000
    let bounded = min(seconds, 1 << 32, mostFrames / guint64(max(1, rate)))
    return Int(bounded) * rate + Int((rest * guint64(rate) + 500_000_000) / 1_000_000_000)
  }
}
