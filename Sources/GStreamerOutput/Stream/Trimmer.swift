import CGStreamer

/// Which decoded frames belong to the recording, counted in frames so that nothing is lost to rounding.
///
/// Decoders clip to a segment of nanoseconds and are a frame off now and then, and what an encoder added before
/// and after the sound they leave in unless the parser before them says otherwise. Pure; fed by the pads' probes.
struct Trimmer {
  /// What a demuxer said: sound from `start` to `stop` of the decoder's time is `time` of the recording.
  struct Window: Hashable {
    var start: guint64 = 0
    var stop: guint64?
    var time: guint64 = 0
  }

  /// What is left of a block of decoded frames.
  struct Kept: Hashable {
    /// Frames to cut off at the front.
    var drop: Int
    /// Frames to keep.
    var count: Int
    /// Position of the first kept frame in the recording, in frames.
    var position: Int
  }

  /// Encoder delay, when nobody upstream takes care of it.
  var skip = 0
  /// First decoded frame behind the sound, when nobody upstream takes care of it.
  var end: Int?
  /// Sample position behind the last packet, from the container.
  var granule: Int?
  /// Time behind the last packet that went into the decoder, in nanoseconds.
  private(set) var packetEnd: guint64?
  private var window = Window()
  private var next: Int?
  /// Time before the first sample of a stream that doesn't begin at zero (a transport stream, a station).
  private var lead: Int?

  /// A new segment: the start of the stream, or a seek.
  mutating func begin(_ window: Window) {
    self.window = window
    next = nil
    lead = nil
  }

  /// A packet went into the decoder. Both are what the file says, which may be more than a clock can hold.
  mutating func took(packetAt start: guint64, lasting duration: guint64) {
    let (end, isTooLate) = start.addingReportingOverflow(duration)
    if !isTooLate { packetEnd = end }
  }

  /// `frames` decoded frames whose time stamp is `timestamp` nanoseconds, if they have one.
  mutating func place(frames: Int, timestamp: guint64?, rate: Int) -> Kept? {
    let start = next ?? timestamp.map { Self.frames($0, rate) } ?? Self.frames(window.start, rate)
    next = start + frames
    let windowStart = Self.frames(window.start, rate)
    let lower = max(start, windowStart, skip)
    var upper = start + frames
    if let stop = window.stop.map({ Self.frames($0, rate) }) {
      upper = min(upper, exactStop(stop, rate))
    }
    if let end { upper = min(upper, end) }
    // A granule in the past belongs to another count (a radio stream joined midway), not to an end.
    if let granule, granule > start { upper = min(upper, granule) }
    guard upper > lower else { return nil }
    let before = lead ?? (window.time == 0 ? lower - max(windowStart, skip) : 0)
    lead = before
    let position = lower - windowStart + Self.frames(window.time, rate) - skip - before
    return Kept(drop: lower - start, count: upper - lower, position: max(0, position))
  }

  /// The end of the last packet, when the segment ends there but for the coarse clock of a file header.
  private func exactStop(_ stop: Int, _ rate: Int) -> Int {
    guard let last = packetEnd.map({ Self.frames($0, rate) }), abs(last - stop) <= rate / 500 else {
      return stop
    }
    return last
  }

  /// More frames than anything has, and few enough to reckon with, whatever time and rate a file claims.
  private static let mostFrames: guint64 = 1 << 60

  /// Nearest frame of `nanoseconds`; bounded.
  static func frames(_ nanoseconds: guint64, _ rate: Int) -> Int {
    let seconds = nanoseconds / 1_000_000_000
    let rest = nanoseconds % 1_000_000_000
    let bounded = min(seconds, 1 << 32, mostFrames / guint64(max(1, rate)))
    return Int(bounded) * rate + Int((rest * guint64(rate) + 500_000_000) / 1_000_000_000)
  }
}
