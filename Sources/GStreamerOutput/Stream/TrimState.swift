import CGStreamer

/// What is known of a track's decoder and of the samples to be trimmed. Pure; ``TrackTrim`` feeds it.
struct TrimState: Sendable {
  /// What to do with a block of the decoder's output.
  enum Placement: Sendable {
    /// Its format isn't known.
    case asItIs
    case nothing
    /// `position` in the track in nanoseconds; `bytes` of a frame.
    case part(Trimmer.TrimmedBlock, position: guint64, bytes: Int)
  }

  var trimmer = Trimmer()
  /// The first bytes of an MP3 stream, until its tag is read or given up; nil when none is looked for.
  var head: [UInt8]? = []
  var hasSeenPacket = false
  var hasDecoder = false
  var isVorbis = false
  var windowsMediaDelay: WindowsMediaDelay?
  /// The decoder's output.
  var format: StreamFormat?
  /// The file contains more than the sound that is played.
  var showsOtherStreams = false
  /// Where the next segment begins instead (nanoseconds).
  var target: (position: guint64, byClock: Bool)?
  /// The decoder's time at the beginning of the recording (nanoseconds).
  private(set) var start: guint64 = 0
  var countsFromBeginning = false
  /// Time of the first segment, if positions are counted from there.
  private var beginning: guint64?

  mutating func readTag(_ bytes: [UInt8]) {
    head = nil
    guard let tag = XingHeader(firstBytes: bytes) else { return }
    trimmer.skip = tag.skip
    trimmer.end = tag.end
  }

  /// A new segment.
  mutating func begin(_ segment: Trimmer.Window) {
    var window = segment
    start = window.start > window.time ? window.start - window.time : 0
    // The segment ends where the sound would end without the delay.
    if windowsMediaDelay != nil { window.stop = nil }
    if countsFromBeginning {
      let zero = beginning ?? window.time
      beginning = zero
      window.time -= min(zero, window.time)
    }
    if let target {
      window.move(to: target.position)
      window.isByClock = target.byClock
    }
    target = nil
    trimmer.begin(window)
  }

  /// Places `bytes` bytes of samples by `timestamp` (nanoseconds), if any.
  mutating func place(bytes: Int, _ timestamp: guint64?) -> Placement {
    guard let format else { return .asItIs }
    let frames = bytes / format.bytesPerFrame
    guard let kept = trimmer.place(frames: frames, timestamp: timestamp, rate: format.rate) else {
      return .nothing
    }
    return .part(kept, position: format.nanoseconds(frames: kept.position), bytes: format.bytesPerFrame)
  }
}

extension Trimmer.Window {
  init(_ segment: GstSegment) {
    self.init(
      start: segment.start, stop: segment.stop == guint64.max ? nil : segment.stop, time: segment.time)
  }
}
