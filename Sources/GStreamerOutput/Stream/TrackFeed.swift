import CGStreamer

/// The last station of a track's streaming thread: waits until it is the track's turn and the device has room, and
/// pushes samples into it.
// Safe to share: all mutable state is guarded by `timeline.monitor`.
final class TrackFeed: @unchecked Sendable {
  let serial: Int
  private let timeline: Timeline
  private let notify: @Sendable (Notice) -> Void

  private var isCancelled = false
  /// Samples of before a seek are thrown away until the flush has come through.
  private var isDropping = false
  /// Counts the seeks.
  private var epoch = 0
  /// The last samples have come; they may have been thrown away.
  private var hasEnded = false
  private var isAnnounced = false
  private var hasJoined = false
  private var format: StreamFormat?
  /// Identity of the caps that ``format`` was read from; kept alive by the sink for as long as they hold.
  private var capsIdentity: UnsafeMutablePointer<GstCaps>?
  /// Samples that are collected before they are handed on; its time stamp is their position in the track.
  private var block: UnsafeMutablePointer<GstBuffer>?
  private var blockFrames = 0
  private let replayGain: ReplayGain
  private var loudness = LoudnessTags()
  /// What samples are multiplied with.
  private var factor: Double

  init(
    serial: Int, timeline: Timeline, replayGain: ReplayGain, notify: @escaping @Sendable (Notice) -> Void
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

  /// Whether it must see the tags that travel with the samples.
  var wantsTags: Bool { replayGain.mode != .off }

  /// Lets the streaming thread go for good.
  func cancel() {
    timeline.monitor.locked {
      isCancelled = true
      dropBlock()
      timeline.monitor.signalAll()
    }
  }

  /// Before a flushing seek: what is on its way is of no use any more. Returns the number of the seek, which all notices
  /// of what follows it bear.
  func beginFlush() -> Int {
    timeline.monitor.locked {
      isDropping = true
      epoch += 1
      dropBlock()
      timeline.monitor.signalAll()
      return epoch
    }
  }

  /// A seek is on its way through the stream: most have come through when they return, some demuxers take their time.
  var isFlushing: Bool { timeline.monitor.locked { isDropping } }

  /// The flush has passed the sink.
  func endFlush() {
    timeline.monitor.locked {
      beginAnew()
      hasEnded = false
    }
  }

  /// The seek was refused: no flush comes, and who had come to the end doesn't say so again.
  func abandonFlush() {
    timeline.monitor.locked {
      beginAnew()
      if hasEnded { notify(.finished(serial, epoch: epoch)) }
    }
  }

  private func beginAnew() {
    isDropping = false
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

  /// Hands on what has been collected, if it is the track's turn: nothing more will come.
  func flush() {
    timeline.monitor.locked { if timeline.turn == serial { handOn() } }
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

  /// Streaming thread: what travels between the samples.
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

  /// With the lock, and in turn: keeps the samples until there is a block worth waking the device's thread for.
  private func collect(_ buffer: UnsafeMutablePointer<GstBuffer>, _ format: StreamFormat) {
    let size = Int(gst_buffer_get_size(buffer))
    let frames = size / format.bytesPerFrame
    guard frames > 0, let part = gst_buffer_copy_region(buffer, GST_BUFFER_COPY_MEMORY, 0, gsize(size))
    else { return }
    scale(part, format)
    if let block {
      self.block = gst_buffer_append(block, part)
    } else {
      part.pointee.pts = buffer.pointee.pts
      block = part
    }
    blockFrames += frames
    // 120 ms, while the device has 150 ms to go on with; the first samples of a track never wait.
    let mayWait = hasJoined && timeline.queued * 20 >= format.rate * 3 && blockFrames * 25 < format.rate * 3
    if !mayWait { handOn() }
  }

  private func scale(_ part: UnsafeMutablePointer<GstBuffer>, _ format: StreamFormat) {
    guard factor != 1 else { return }
    var map = GstMapInfo()
    // The decoder's memory isn't ours: mapping it for writing makes a copy.
    let flags = GstMapFlags(rawValue: GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
    guard gst_buffer_map(part, &map, flags) != 0 else { return }
    SampleScaling.scale(
      UnsafeMutableRawBufferPointer(start: map.data, count: Int(map.size)),
      format: GstAudioFormat(rawValue: format.encoding), by: factor)
    gst_buffer_unmap(part, &map)
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

  /// With the lock, and in turn: hands the block on with the time stamps of the device.
  private func handOn() {
    guard let block, let format, let source = timeline.source else {
      dropBlock()
      return
    }
    let frames = blockFrames
    self.block = nil
    blockFrames = 0
    if timeline.format == nil { timeline.format = format }
    if timeline.format != timeline.capsFormat, let caps = gst_caps_from_string(format.capsText) {
      timeline.capsFormat = format
      gst_app_src_set_caps(source, caps)
      gst_caps_unref(caps)
    }
    let start = timeline.end
    if !hasJoined {
      hasJoined = true
      let media = block.pointee.pts
      notify(.joined(serial, epoch: epoch, running: start, media: media == guint64.max ? 0 : media))
    }
    timeline.put(frames: frames)
    block.pointee.pts = start
    block.pointee.dts = guint64.max
    block.pointee.duration = timeline.end - start
    if timeline.isStarved {
      timeline.isStarved = false
      notify(.fed)
    }
    gst_app_src_push_buffer(source, block)
  }

  /// With the lock: reads the format when the caps are new. False when they aren't understood.
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

  /// With the lock: false when the samples aren't wanted any more.
  private func waitForTurn(_ format: StreamFormat) -> Bool {
    let entered = epoch
    while !isCancelled, epoch == entered, !isDropping {
      if !isAnnounced {
        isAnnounced = true
        notify(.ready(serial, epoch: epoch, format))
      }
      // Without a device it would be thrown away.
      if timeline.turn == serial, timeline.source != nil, timeline.accepts(format) { return true }
      timeline.monitor.wait()
    }
    return false
  }
}
