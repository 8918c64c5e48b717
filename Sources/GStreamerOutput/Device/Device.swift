import CGStreamer
import Glibc
import Player
import Synchronization
import Threads

/// The sound device and the way to it: entry, conversion, volume, sink. Confined to the control thread.
final class Device {
  typealias Element = UnsafeMutablePointer<GstElement>

  let choice: SinkChoice
  let source: UnsafeMutablePointer<GstAppSrc>
  private let pipeline: Element
  private let volume: Element
  private let balance = Balance()
  private let writer: WaveWriter?
  private let meter: DeviceMeter
  private let mailbox: Mailbox
  private var hasRun = false
  /// The sink has said that it is through.
  var hasEnded = false

  /// - Throws: ``PlaybackFailure`` of kind `device`.
  init(
    choice: SinkChoice, timeline: Timeline, bus: MessageBus, mailbox: Mailbox,
    notify: @escaping @Sendable (Notice) -> Void
  ) throws(PlaybackFailure) {
    self.choice = choice
    var writer: WaveWriter?
    if case .file(let path) = choice {
      writer = WaveWriter(path: path, notify: notify)
      if writer == nil {
        throw PlaybackFailure(
          .device, "The file \(path) can't be written: \(String(cString: strerror(errno))).")
      }
    }
    let sink = try choice.make()
    let names = ["appsrc", "audioconvert", "volume", "audioconvert", "audioresample"]
    var chain: [Element] = []
    for name in names {
      if let element = gst_element_factory_make(name, nil) { chain.append(element) }
    }
    chain.append(sink)
    guard chain.count == names.count + 1, let pipeline = gst_pipeline_new(nil) else {
      for element in chain { gst_object_unref(element) }
      throw PlaybackFailure(
        .device, "GStreamer's base elements are missing; install gstreamer1.0-plugins-base.")
    }
    let bin = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
    for element in chain { gst_bin_add(bin, element) }
    var isLinked = true
    for (from, to) in zip(chain, chain.dropFirst()) where gst_element_link(from, to) == 0 {
      isLinked = false
    }
    guard isLinked else {
      gst_object_unref(pipeline)
      throw PlaybackFailure(
        .device, "The output takes no sound: its description must begin with an audio input.")
    }
    self.pipeline = pipeline
    self.mailbox = mailbox
    meter = DeviceMeter(timeline: timeline, notify: notify)
    self.writer = writer
    source = UnsafeMutableRawPointer(chain[0]).assumingMemoryBound(to: GstAppSrc.self)
    volume = chain[2]
    gst_element_set_bus(pipeline, bus.pointer)
    configureSource()
    if let writer { Self.attach(writer, to: sink) }
    if let pad = gst_element_get_static_pad(volume, "src") {
      balance.attach(to: pad)
      gst_object_unref(pad)
    }
  }

  deinit {
    gst_element_set_state(pipeline, GST_STATE_NULL)
    writer?.finalise()
    gst_element_set_bus(pipeline, nil)
    gst_object_unref(pipeline)
  }

  private func configureSource() {
    vireo_set_int(source, "format", Int32(GST_FORMAT_TIME.rawValue))
    vireo_set_int(source, "stream-type", Int32(GST_APP_STREAM_TYPE_SEEKABLE.rawValue))
    // The tracks wait for room themselves; the entry never refuses.
    vireo_set_uint64(source, "max-bytes", 0)
    var callbacks = GstAppSrcCallbacks()
    callbacks.seek_data = { _, _, _ in 1 }
    gst_app_src_set_callbacks(source, &callbacks, nil, nil)
    let element = UnsafeMutableRawPointer(source).assumingMemoryBound(to: GstElement.self)
    guard let pad = gst_element_get_static_pad(element, "src") else { return }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER, deviceTookProbe,
      HandOver.give(meter),
      { HandOver.end($0) })
  }

  private static func attach(_ writer: WaveWriter, to sink: Element) {
    var callbacks = GstAppSinkCallbacks()
    callbacks.new_sample = { sink, context in
      guard let sink, let context, let sample = gst_app_sink_pull_sample(sink) else {
        return GST_FLOW_OK
      }
      defer { gst_sample_unref(sample) }
      return HandOver.borrow(context, as: WaveWriter.self).append(sample)
    }
    gst_app_sink_set_callbacks(
      UnsafeMutableRawPointer(sink).assumingMemoryBound(to: GstAppSink.self), &callbacks,
      HandOver.give(writer),
      { HandOver.end($0) })
  }

  // MARK: States

  /// Whether sound runs now.
  var isPlaying: Bool {
    var state = GST_STATE_NULL
    return gst_element_get_state(pipeline, &state, nil, 0) == GST_STATE_CHANGE_SUCCESS
      && state == GST_STATE_PLAYING
  }

  /// Runs, or waits silently with the first samples at hand. False when the device refuses.
  func run(paused: Bool) -> Bool {
    hasRun = true
    let state = paused ? GST_STATE_PAUSED : GST_STATE_PLAYING
    return gst_element_set_state(pipeline, state) != GST_STATE_CHANGE_FAILURE
  }

  /// Silent at once and empty; the device stays open.
  func halt() {
    guard hasRun else { return }
    hasRun = false
    if needsEnd, !hasEnded { finishWriting() }
    hasEnded = false
    gst_element_set_state(pipeline, GST_STATE_READY)
    writer?.finalise()
  }

  /// A muxer or encoder of a described pipeline completes its file only when it sees the end.
  private var needsEnd: Bool {
    guard case .pipeline = choice else { return false }
    return vireo_has_audio_device(pipeline) == 0
  }

  /// Leaves out what is still to come and waits for the end, but not for long.
  private func finishWriting() {
    meter.discard(true)
    // A sink that waits silently holds the one buffer that it begins with.
    gst_element_set_state(pipeline, GST_STATE_PLAYING)
    gst_app_src_end_of_stream(source)
    // Errors of a track wait for their turn.
    mailbox.wait(until: .now + .milliseconds(500)) { message in
      guard let source = message.pointer.pointee.src, owns(source) else { return false }
      return message.type == GST_MESSAGE_EOS || message.type == GST_MESSAGE_ERROR
    }
    meter.discard(false)
  }

  /// Throws away what hasn't been heard; running time begins again at zero.
  func flush() {
    hasEnded = false
    let flags = GST_SEEK_FLAG_FLUSH
    let element = UnsafeMutableRawPointer(source).assumingMemoryBound(to: GstElement.self)
    _ = gst_element_send_event(
      element,
      gst_event_new_seek(1, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, -1))
  }

  /// No samples follow: play to the last one, then say so.
  func end() {
    gst_app_src_end_of_stream(source)
  }

  /// What is heard now, in running time since the last ``flush()`` or ``halt()``.
  var runningTime: guint64 {
    var position: gint64 = 0
    if gst_element_query_position(pipeline, GST_FORMAT_TIME, &position) != 0, position >= 0 {
      return guint64(position)
    }
    // Sinks behind a muxer don't know the time; the clock does.
    guard isPlaying, let clock = gst_element_get_clock(pipeline) else {
      let start = gst_element_get_start_time(pipeline)
      return start == guint64.max ? 0 : start
    }
    defer { gst_object_unref(clock) }
    let now = gst_clock_get_time(clock)
    let base = gst_element_get_base_time(pipeline)
    return now > base ? now - base : 0
  }

  /// Linear factors, 0...1.
  func setGain(left: Double, right: Double) {
    let common = max(left, right)
    balance.set(left: common > 0 ? left / common : 1, right: common > 0 ? right / common : 1)
    vireo_set_double(volume, "volume", common)
  }

  func restartClock(paused: Bool) {
    guard !paused else { return }
    gst_element_set_state(pipeline, GST_STATE_PAUSED)
    gst_element_set_state(pipeline, GST_STATE_PLAYING)
  }

  func owns(_ object: UnsafeMutablePointer<GstObject>) -> Bool {
    let mine = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstObject.self)
    return object == mine || gst_object_has_as_ancestor(object, mine) != 0
  }
}

/// Counts what leaves the entry towards the sink.
private final class DeviceMeter: Sendable {
  private let isDiscarding = Mutex(false)
  let timeline: Timeline
  let notify: @Sendable (Notice) -> Void

  init(timeline: Timeline, notify: @escaping @Sendable (Notice) -> Void) {
    self.timeline = timeline
    self.notify = notify
  }

  func discard(_ value: Bool) {
    isDiscarding.withLock { $0 = value }
  }

  /// False when the buffer isn't wanted.
  func took(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
    if isDiscarding.withLock({ $0 }) { return false }
    let size = Int(gst_buffer_get_size(buffer))
    let bytes = timeline.monitor.locked { timeline.format?.bytesPerFrame ?? 1 }
    if timeline.took(frames: size / bytes) { notify(.starved) }
    return true
  }
}

private func deviceTookProbe(
  pad: UnsafeMutablePointer<GstPad>?, info: UnsafeMutablePointer<GstPadProbeInfo>?, context: gpointer?
) -> GstPadProbeReturn {
  if let info, let context, let buffer = vireo_probe_buffer(info) {
    let isWanted = HandOver.borrow(context, as: DeviceMeter.self).took(buffer)
    return isWanted ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
  }
  return GST_PAD_PROBE_OK
}
