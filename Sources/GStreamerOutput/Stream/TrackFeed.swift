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
  private var epoch = 0
  private var isAnnounced = false
  private var hasJoined = false
  private var format: StreamFormat?
  /// Identity of the caps that ``format`` was read from; kept alive by the sink for as long as they hold.
  private var capsIdentity: UnsafeMutablePointer<GstCaps>?

  init(serial: Int, timeline: Timeline, notify: @escaping @Sendable (Notice) -> Void) {
    self.serial = serial
    self.timeline = timeline
    self.notify = notify
  }

  deinit {
    if let capsIdentity { gst_caps_unref(capsIdentity) }
  }

  /// Lets the streaming thread go for good.
  func cancel() {
    timeline.monitor.locked {
      isCancelled = true
      timeline.monitor.signalAll()
    }
  }

  /// Before a flushing seek: what is on its way is of no use any more.
  func beginFlush() {
    timeline.monitor.locked {
      isDropping = true
      epoch += 1
      timeline.monitor.signalAll()
    }
  }

  /// The flush has passed the sink, or (when the seek failed) won't come.
  func endFlush() {
    timeline.monitor.locked {
      isDropping = false
      isAnnounced = false
      hasJoined = false
    }
  }

  /// Streaming thread: all samples have come.
  func finish() {
    let counts = timeline.monitor.locked { !isDropping && !isCancelled }
    if counts { notify(.finished(serial)) }
  }

  /// Streaming thread: one block of samples.
  func take(_ sample: OpaquePointer) -> GstFlowReturn {
    guard let buffer = gst_sample_get_buffer(sample), let caps = gst_sample_get_caps(sample)
    else { return GST_FLOW_OK }
    return timeline.monitor.locked {
      guard update(caps), let format else { return GST_FLOW_NOT_NEGOTIATED }
      guard waitForTurn(format) else { return isCancelled ? GST_FLOW_FLUSHING : GST_FLOW_OK }
      push(buffer, format)
      return GST_FLOW_OK
    }
  }

  /// With the lock, and in turn: hands the samples on with the time stamps of the device.
  private func push(_ buffer: UnsafeMutablePointer<GstBuffer>, _ format: StreamFormat) {
    let size = Int(gst_buffer_get_size(buffer))
    let frames = size / format.bytesPerFrame
    guard frames > 0, let source = timeline.source,
      let stamped = gst_buffer_copy_region(buffer, Self.copied, 0, gsize(size))
    else { return }
    if timeline.format == nil { timeline.format = format }
    if timeline.format != timeline.capsFormat, let caps = gst_caps_from_string(format.capsText) {
      timeline.capsFormat = format
      gst_app_src_set_caps(source, caps)
      gst_caps_unref(caps)
    }
    let start = timeline.end
    let media = buffer.pointee.pts
    if !hasJoined {
      hasJoined = true
      notify(.joined(serial, running: start, media: media == guint64.max ? 0 : media))
    }
    timeline.frames += frames
    timeline.queued += frames
    stamped.pointee.pts = start
    stamped.pointee.dts = guint64.max
    stamped.pointee.duration = timeline.end - start
    if timeline.isStarved {
      timeline.isStarved = false
      notify(.fed)
    }
    gst_app_src_push_buffer(source, stamped)
  }

  private static let copied = GstBufferCopyFlags(
    rawValue: GST_BUFFER_COPY_MEMORY.rawValue | GST_BUFFER_COPY_META.rawValue)

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
        notify(.ready(serial, format))
      }
      if timeline.turn == serial, timeline.accepts(format) { return true }
      timeline.monitor.wait()
    }
    return false
  }
}
