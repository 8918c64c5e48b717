import CGStreamer

/// What ``TrackFeed`` knows of its samples, and those that it collects for the next push.
struct FeedState: Sendable {
  var isCancelled = false
  /// The attempt to play that the samples belong to; nil for what another room sends.
  var play: UInt64?
  /// Samples from before a seek are dropped until the flush has passed.
  var isDropping = false
  /// Number of seeks so far.
  var epoch = 0
  /// The last samples have come; they may have been dropped.
  var hasEnded = false
  var isAnnounced = false
  var hasJoined = false
  /// Samples before this position of the track are dropped (nanoseconds).
  var beginning: guint64 = 0
  /// Position in the track behind the last sample that came, dropped or not; nil before there is one (nanoseconds).
  private(set) var endOfSamples: guint64?
  var loudness = LoudnessTags()
  /// The factor that the device applies to the samples besides the volume.
  var factor: Double
  private var format: StreamFormat?
  /// The caps that ``format`` was read from, referenced so that their address can be compared.
  private var caps: GstPointer<GstCaps>?
  /// Samples for one push.
  private var block: PCMBlock?

  init(factor: Double) { self.factor = factor }

  mutating func beginAnew() {
    isDropping = false
    endOfSamples = nil
    isAnnounced = false
    hasJoined = false
  }

  /// Whether samples that come after the seek `epoch` are to be heard.
  func isWanted(_ epoch: Int) -> Bool { !isCancelled && self.epoch == epoch && !isDropping }

  /// Whether samples of `caps` may be added to those that have been collected.
  func isCollecting(_ caps: GstPointer<GstCaps>) -> Bool {
    self.caps?.object == caps.object && (block.map { $0.factor == factor } ?? true)
  }

  /// The format of `caps`; nil if it isn't understood.
  mutating func update(_ caps: GstPointer<GstCaps>) -> StreamFormat? {
    guard self.caps?.object != caps.object else { return format }
    if let old = self.caps { gst_caps_unref(old.object) }
    self.caps = caps
    gst_mini_object_ref(UnsafeMutableRawPointer(caps.object).assumingMemoryBound(to: GstMiniObject.self))
    let read = StreamFormat(caps: caps.object)
    if read != format { isAnnounced = false }
    format = read
    return read
  }

  /// Collects samples. True if there are enough to be worth waking the device's thread for.
  ///
  /// - Parameters:
  ///   - epoch: the seek that they come after.
  ///   - queued: the frames that are queued for the device.
  mutating func collect(
    _ buffer: GstPointer<GstBuffer>, _ format: StreamFormat, epoch: Int, queued: Int
  ) -> Bool {
    guard isWanted(epoch) else { return false }
    let buffer = buffer.object
    let unwanted = unwantedFrames(of: buffer, format)
    let all = Int(gst_buffer_get_size(buffer)) / format.bytesPerFrame
    let start = buffer.pointee.pts
    if start != guint64.max {
      endOfSamples = start + gst_util_uint64_scale(guint64(all), 1_000_000_000, guint64(format.rate))
    }
    let frames = all - unwanted
    guard frames > 0,
      let part = gst_buffer_copy_region(
        buffer, GST_BUFFER_COPY_MEMORY, gsize(unwanted * format.bytesPerFrame),
        gsize(frames * format.bytesPerFrame))
    else { return false }
    if let before = block?.buffer.object {
      if let joined = gst_buffer_append(before, part) { block?.buffer = GstPointer(joined) }
      block?.frames += frames
    } else {
      let media = unwanted > 0 ? beginning : start
      block = PCMBlock(
        buffer: GstPointer(part), format: format, frames: frames, due: nil, factor: factor,
        media: media == guint64.max ? 0 : media)
    }
    // Up to 120 ms, while the device has 150 ms to go on with; the first samples of a track never wait.
    let collected = block?.frames ?? 0
    return !(hasJoined && queued * 20 >= format.rate * 3 && collected * 25 < format.rate * 3)
  }

  /// Frames at the front of `buffer` that lie before the start position.
  private mutating func unwantedFrames(of buffer: UnsafeMutablePointer<GstBuffer>, _ format: StreamFormat)
    -> Int
  {
    let start = buffer.pointee.pts
    guard beginning > 0, start != guint64.max else { return 0 }
    guard start < beginning else {
      beginning = 0
      return 0
    }
    let frames = gst_util_uint64_scale_round(beginning - start, guint64(format.rate), 1_000_000_000)
    return Int(min(frames, guint64(gst_buffer_get_size(buffer)) / guint64(format.bytesPerFrame)))
  }

  /// The format of what has been collected; nil if there is nothing.
  var collectedFormat: StreamFormat? { block?.format }

  /// What has been collected, if it has `format` (nil: any); the caller owns its buffer.
  mutating func takeBlock(of format: StreamFormat? = nil) -> PCMBlock? {
    guard format == nil || format == collectedFormat else { return nil }
    defer { block = nil }
    return block
  }

  mutating func dropBlock() {
    if let block = takeBlock() { gst_buffer_unref(block.buffer.object) }
  }

  mutating func release() {
    dropBlock()
    if let caps { gst_caps_unref(caps.object) }
    caps = nil
  }
}
