import CGStreamer

/// The last stage of a track's streaming thread: waits until it is the track's turn and the device has room, then
/// pushes samples into the device.
// Safe to share: all mutable state is guarded by `timeline.monitor`.
final class TrackFeed: @unchecked Sendable {
  let serial: Int
  private let timeline: Timeline
  private let notify: @Sendable (PipelineEvent) -> Void

  private var isCancelled = false
  /// Samples from before a seek are dropped until the flush has passed.
  private var isDropping = false
  /// Number of seeks so far.
  private var epoch = 0
  /// The last samples have come; they may have been dropped.
  private var hasEnded = false
  private var isAnnounced = false
  private var hasJoined = false
  /// Samples before this position of the track are dropped (nanoseconds).
  private var beginning: guint64 = 0
  /// Position in the track behind the last sample that came, dropped or not; nil before there is one (nanoseconds).
  private var endOfSamples: guint64?
  private var format: StreamFormat?
  /// The caps that ``format`` was read from, referenced so that their address can be compared.
  private var capsIdentity: UnsafeMutablePointer<GstCaps>?
  /// Samples collected for the next push; the time stamp is their position in the track.
  private var block: UnsafeMutablePointer<GstBuffer>?
  private var blockFrames = 0
  /// ``factor`` when they came.
  private var blockFactor = 1.0
  private let replayGain: ReplayGain
  private var loudness = LoudnessTags()
  /// The factor that the device applies to the samples besides the volume.
  private var factor: Double

  init(
    serial: Int, timeline: Timeline, replayGain: ReplayGain,
    notify: @escaping @Sendable (PipelineEvent) -> Void
  ) {
    self.serial = serial
    self.timeline = timeline
    self.replayGain = replayGain
    self.notify = notify
    factor = loudness.factor(replayGain)
  }

  deinit {
    if let block { gst_buffer_unref(block) }
    if let capsIdentity { gst_caps_unref(capsIdentity) }
  }

  /// Whether it needs the tags that travel with the samples.
  var wantsTags: Bool { replayGain.mode != .off }

  /// Whether ``factor`` changes the samples.
  var changesLoudness: Bool { timeline.monitor.locked { factor != 1 } }

  /// Releases the streaming thread for good.
  func cancel() {
    timeline.monitor.locked {
      isCancelled = true
      dropBlock()
      timeline.monitor.signalAll()
    }
  }

  /// Call before a flushing seek: drops the samples on their way. Returns the number of the seek, which all notices
  /// about later samples carry.
  func beginFlush() -> Int {
    timeline.monitor.locked {
      isDropping = true
      epoch += 1
      dropBlock()
      timeline.monitor.signalAll()
      return epoch
    }
  }

  /// A seek is under way. Most have passed when the seek call returns, but some demuxers take longer.
  var isFlushing: Bool { timeline.monitor.locked { isDropping } }

  /// The flush has passed the sink.
  func endFlush() {
    timeline.monitor.locked {
      beginAnew()
      hasEnded = false
    }
  }

  /// The seek was refused: no flush comes, and a stream that had ended doesn't report its end again.
  func abandonFlush() {
    timeline.monitor.locked {
      beginAnew()
      if hasEnded { notify(.finished(serial, epoch: epoch)) }
    }
  }

  /// The device is lost: the next samples are the first that another one gets, and are announced again.
  func loseDevice() {
    timeline.monitor.locked { hasJoined = false }
  }

  /// Where the samples that have come end (nanoseconds); nil while there are none.
  var end: guint64? { timeline.monitor.locked { endOfSamples } }

  private func beginAnew() {
    isDropping = false
    endOfSamples = nil
    isAnnounced = false
    hasJoined = false
  }

  /// Streaming thread: all samples have come.
  func finish() {
    timeline.monitor.locked {
      handOnInTurn()
      hasEnded = true
      if !isDropping, !isCancelled { notify(.finished(serial, epoch: epoch)) }
    }
  }

  /// Drops everything before `position` (nanoseconds), for streams that can only be read from the start.
  func skip(to position: guint64) {
    timeline.monitor.locked { beginning = position }
  }

  /// Hands on what has been collected, if it is the track's turn: nothing more will come.
  func flush() {
    timeline.monitor.locked { if timeline.feeding == serial { handOn() } }
  }

  /// Streaming thread: one block of samples.
  func take(_ sample: OpaquePointer) -> GstFlowReturn {
    guard let buffer = gst_sample_get_buffer(sample), let caps = gst_sample_get_caps(sample)
    else { return GST_FLOW_OK }
    return timeline.monitor.locked {
      if caps != capsIdentity { handOnInTurn() }
      guard update(caps), let format else { return GST_FLOW_NOT_NEGOTIATED }
      guard waitForTurn(format) else { return isCancelled ? GST_FLOW_FLUSHING : GST_FLOW_OK }
      collect(buffer, format)
      return GST_FLOW_OK
    }
  }

  /// Streaming thread: an event between the samples.
  func read(_ event: UnsafeMutablePointer<GstEvent>) {
    timeline.monitor.locked {
      switch event.pointee.type {
      case GST_EVENT_STREAM_START: loudness = LoudnessTags()
      case GST_EVENT_TAG:
        var list: UnsafeMutablePointer<GstTagList>?
        gst_event_parse_tag(event, &list)
        if let list { loudness.merge(list) }
      default: return
      }
      factor = loudness.factor(replayGain)
    }
  }

  // MARK: Towards the device

  /// With the lock, and in turn: collects samples until there is a block worth waking the device's thread for.
  private func collect(_ buffer: UnsafeMutablePointer<GstBuffer>, _ format: StreamFormat) {
    let unwanted = unwantedFrames(of: buffer, format)
    let all = Int(gst_buffer_get_size(buffer)) / format.bytesPerFrame
    if buffer.pointee.pts != guint64.max {
      endOfSamples =
        buffer.pointee.pts + gst_util_uint64_scale(guint64(all), 1_000_000_000, guint64(format.rate))
    }
    let frames = all - unwanted
    guard frames > 0,
      let part = gst_buffer_copy_region(
        buffer, GST_BUFFER_COPY_MEMORY, gsize(unwanted * format.bytesPerFrame),
        gsize(frames * format.bytesPerFrame))
    else { return }
    if block != nil, factor != blockFactor { handOn() }
    blockFactor = factor
    if let block {
      self.block = gst_buffer_append(block, part)
    } else {
      part.pointee.pts = unwanted > 0 ? beginning : buffer.pointee.pts
      block = part
    }
    blockFrames += frames
    // Up to 120 ms, while the device has 150 ms to go on with; the first samples of a track never wait.
    let mayWait = hasJoined && timeline.queued * 20 >= format.rate * 3 && blockFrames * 25 < format.rate * 3
    if !mayWait { handOn() }
  }

  /// Frames at the front of `buffer` that lie before the start position.
  private func unwantedFrames(of buffer: UnsafeMutablePointer<GstBuffer>, _ format: StreamFormat) -> Int {
    let start = buffer.pointee.pts
    guard beginning > 0, start != guint64.max else { return 0 }
    guard start < beginning else {
      beginning = 0
      return 0
    }
    let frames = gst_util_uint64_scale_round(beginning - start, guint64(format.rate), 1_000_000_000)
    return Int(min(frames, guint64(gst_buffer_get_size(buffer)) / guint64(format.bytesPerFrame)))
  }

  private func dropBlock() {
    if let block { gst_buffer_unref(block) }
    block = nil
    blockFrames = 0
  }

  /// With the lock: waits for the turn, if anything has been collected, and hands it on.
  private func handOnInTurn() {
    guard block != nil, let format, waitForTurn(format) else { return }
    handOn()
  }

  /// With the lock, and in turn: hands the block on to the device.
  private func handOn() {
    guard let block, let format, let source = timeline.source else {
      dropBlock()
      return
    }
    let frames = blockFrames
    self.block = nil
    blockFrames = 0
    if timeline.format == nil { timeline.format = format }
    let start = timeline.end
    if !hasJoined {
      hasJoined = true
      let media = block.pointee.pts
      notify(.joined(serial, epoch: epoch, running: start, media: media == guint64.max ? 0 : media))
    }
    timeline.put(frames: frames)
    if timeline.isStarved {
      timeline.isStarved = false
      notify(.fed)
    }
    source.put(block, frames: frames, format: format, factor: blockFactor)
  }

  /// With the lock: reads the format if the caps are new. False if it isn't understood.
  private func update(_ caps: UnsafeMutablePointer<GstCaps>) -> Bool {
    guard caps != capsIdentity else { return format != nil }
    if let capsIdentity { gst_caps_unref(capsIdentity) }
    capsIdentity = caps
    gst_mini_object_ref(UnsafeMutableRawPointer(caps).assumingMemoryBound(to: GstMiniObject.self))
    let read = StreamFormat(caps: caps)
    if read != format { isAnnounced = false }
    format = read
    return read != nil
  }

  /// With the lock: waits for the turn. False if the samples aren't wanted any more.
  private func waitForTurn(_ format: StreamFormat) -> Bool {
    let entered = epoch
    while !isCancelled, epoch == entered, !isDropping {
      if !isAnnounced {
        isAnnounced = true
        notify(.ready(serial, epoch: epoch, format))
      }
      // Without a device the samples would be lost.
      if timeline.feeding == serial, timeline.source != nil, timeline.accepts(format) { return true }
      timeline.monitor.wait()
    }
    return false
  }
}
