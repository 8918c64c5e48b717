import CGStreamer
import Glibc
import Player
import Threads

/// The sound device's pipeline: entry, conversion, sink. Confined to the control thread.
final class Device {
  typealias Element = UnsafeMutablePointer<GstElement>

  /// Later tracks are converted to the format of the first.
  let keepsFormat: Bool
  /// A silent stand-in for a device that isn't there.
  let isStandIn: Bool
  /// Where samples enter, are scaled, and queue.
  let source: SoundEntry
  private let pipeline: Element
  private let entry: UnsafeMutablePointer<GstAppSrc>
  let sink: Element
  /// The sink is a pipeline that the configuration describes.
  let isDescribed: Bool
  private let writer: WaveWriter?
  private let clock: DeviceClock
  /// A muxer or encoder of a described pipeline completes its file only at end of stream.
  private let needsEnd: Bool
  private let mailbox: Mailbox
  private var hasRun = false
  /// Running time at which playback is paused since ``hold()``.
  private var heldTime: guint64?
  /// The sink has reported end of stream.
  var hasEnded = false

  /// - Parameter isStandIn: whether it is silent, in place of `choice`.
  init(
    choice: SinkChoice, isStandIn: Bool, session: Session, timeline: Timeline, clock: DeviceClock,
    bus: MessageBus,
    mailbox: Mailbox, mapping: ChannelMapping, quality: ResamplerQuality, rates: AllowedRates,
    notify: @escaping @Sendable (PipelineEvent) -> Void
  ) throws(SinkProblem) {
    self.isStandIn = isStandIn
    var writer: WaveWriter?
    if case .file(let path, let clock) = choice {
      writer = WaveWriter(path: path, times: clock.times, notify: notify)
      if writer == nil {
        throw .wrong(
          PlaybackFailure(
            .device, "The file \(path) can't be written: \(String(cString: strerror(errno)))."))
      }
    }
    let sink = try (isStandIn ? .null() : choice).make()
    keepsFormat = choice.keepsFormat(sink)
    switch (session.clock, session.firstFrame) {
    // The pipeline takes its sink's clock, and starts when the first samples are there.
    case (.device, .atOnce): session.latency.apply(to: sink)
    }
    isDescribed = if case .pipeline = choice { true } else { false }
    needsEnd = isDescribed && keepsFormat
    var names = ["appsrc", "audioconvert", "audioresample"]
    if !rates.rates.isEmpty { names.append("capsfilter") }
    var chain: [Element] = []
    for name in names {
      if let element = gst_element_factory_make(name, nil) { chain.append(element) }
    }
    chain.append(sink)
    guard chain.count == names.count + 1, let pipeline = gst_pipeline_new(nil) else {
      gst_element_set_state(sink, GST_STATE_NULL)
      for element in chain { gst_object_unref(element) }
      throw .wrong(
        PlaybackFailure(
          .device, "GStreamer's base elements are missing; install gstreamer1.0-plugins-base."))
    }
    let bin = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
    for element in chain { gst_bin_add(bin, element) }
    var isLinked = true
    for (from, to) in zip(chain, chain.dropFirst()) where gst_element_link(from, to) == 0 {
      isLinked = false
    }
    guard isLinked else {
      gst_element_set_state(sink, GST_STATE_NULL)
      gst_object_unref(pipeline)
      // Any other sink takes sound, so its device went while it was opened.
      guard isDescribed else { throw .unusable(.absent, "it takes no format") }
      throw .wrong(
        PlaybackFailure(
          .device, "The output takes no sound: its description must begin with an audio input."))
    }
    choice.clock.rule(pipeline)
    self.pipeline = pipeline
    self.sink = sink
    self.mailbox = mailbox
    self.writer = writer
    self.clock = clock
    entry = UnsafeMutableRawPointer(chain[0]).assumingMemoryBound(to: GstAppSrc.self)
    vireo_set_int(entry, "format", Int32(GST_FORMAT_TIME.rawValue))
    vireo_set_int(entry, "stream-type", Int32(GST_APP_STREAM_TYPE_SEEKABLE.rawValue))
    // The tracks limit themselves; the entry never refuses samples.
    vireo_set_uint64(entry, "max-bytes", 0)
    RateConversion.attach(quality, to: chain[2])
    let filter = rates.rates.isEmpty ? nil : RateFilter(element: chain[3], rates: rates)
    source = SoundEntry(
      source: entry, filter: filter, depth: CardDepth(choice, sink: sink),
      chain: SoundChain(mapping: mapping), timeline: timeline, notify: notify)
    gst_element_set_bus(pipeline, bus.pointer)
    clock.set(pipeline, sink: sink)
    if let writer { Self.attach(writer, to: sink) }
  }

  deinit {
    clock.clear()
    // A failed start leaves the pipeline in READY with its elements in PAUSED. From there NULL would close the sink
    // first, while the entry's thread still asks it for caps: pulsesink aborts the process then.
    if isOpen { gst_element_set_state(pipeline, GST_STATE_READY) }
    gst_element_set_state(pipeline, GST_STATE_NULL)
    source.detach()
    writer?.finalise()
    gst_element_set_bus(pipeline, nil)
    gst_object_unref(pipeline)
  }

  private static func attach(_ writer: WaveWriter, to sink: Element) {
    var callbacks = GstAppSinkCallbacks()
    callbacks.new_sample = { sink, context in
      guard let sink, let context, let sample = gst_app_sink_pull_sample(sink) else {
        return GST_FLOW_OK
      }
      defer { gst_sample_unref(sample) }
      let element = UnsafeMutableRawPointer(sink).assumingMemoryBound(to: GstElement.self)
      return CallbackContext.object(context, as: WaveWriter.self).append(sample, heardBy: element)
    }
    gst_app_sink_set_callbacks(
      UnsafeMutableRawPointer(sink).assumingMemoryBound(to: GstAppSink.self), &callbacks,
      CallbackContext.retain(writer),
      { CallbackContext.release($0) })
  }

  // MARK: States

  /// Whether the device was opened.
  private var isOpen: Bool {
    var state = GST_STATE_NULL
    gst_element_get_state(pipeline, &state, nil, 0)
    return state != GST_STATE_NULL
  }

  /// Whether the pipeline is playing.
  var isPlaying: Bool {
    var state = GST_STATE_NULL
    return gst_element_get_state(pipeline, &state, nil, 0) == GST_STATE_CHANGE_SUCCESS
      && state == GST_STATE_PLAYING
  }

  /// Starts playing, or prerolls and waits silently. False if the device refuses.
  func run(paused: Bool) -> Bool {
    hasRun = true
    if !paused { heldTime = nil }
    let state = paused ? GST_STATE_PAUSED : GST_STATE_PLAYING
    return gst_element_set_state(pipeline, state) != GST_STATE_CHANGE_FAILURE
  }

  /// Pauses where the sound has faded out; running time continues from exactly there.
  func hold() {
    let (silence, running) = (source.silence, runningTime)
    _ = run(paused: true)
    // A device with a very long buffer hasn't played all of it yet.
    guard let silence, running + 50_000_000 >= silence else { return }
    heldTime = silence
    gst_element_set_start_time(pipeline, silence)
  }

  /// Silences and empties the device at once; it stays open.
  func halt() {
    heldTime = nil
    guard hasRun else { return }
    hasRun = false
    if needsEnd, !hasEnded { finishWriting() }
    hasEnded = false
    gst_element_set_state(pipeline, GST_STATE_READY)
    source.stop()
    writer?.finalise()
  }

  /// Drops the samples still to come and waits up to 500 ms for the end of stream.
  private func finishWriting() {
    source.clear()
    // A paused sink holds its preroll buffer, so it would never reach the end.
    gst_element_set_state(pipeline, GST_STATE_PLAYING)
    source.end()
    // Messages of tracks stay in the mailbox.
    mailbox.wait(until: .now + .milliseconds(500)) { message in
      guard let source = message.pointer.pointee.src, owns(source) else { return false }
      return message.type == GST_MESSAGE_EOS || message.type == GST_MESSAGE_ERROR
    }
  }

  /// Drops what hasn't been heard; running time restarts at zero.
  func flush() {
    hasEnded = false
    heldTime = nil
    source.clear()
    let flags = GST_SEEK_FLAG_FLUSH
    let element = UnsafeMutableRawPointer(entry).assumingMemoryBound(to: GstElement.self)
    _ = gst_element_send_event(
      element,
      gst_event_new_seek(1, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, -1))
  }

  /// No samples follow: the device plays to the last one and then reports end of stream.
  func end() {
    source.end()
  }

  /// Running time of what is heard now, in nanoseconds since the last ``flush()`` or ``halt()``.
  var runningTime: guint64 {
    if let heldTime { return heldTime }
    var position: gint64 = 0
    if gst_element_query_position(pipeline, GST_FORMAT_TIME, &position) != 0, position >= 0 {
      return guint64(position)
    }
    // A sink after a muxer can't answer position queries; the clock can.
    guard isPlaying, let clock = gst_element_get_clock(pipeline) else {
      let start = gst_element_get_start_time(pipeline)
      return start == guint64.max ? 0 : start
    }
    defer { gst_object_unref(clock) }
    let now = gst_clock_get_time(clock)
    let base = gst_element_get_base_time(pipeline)
    return now > base ? now - base : 0
  }

  func restartClock() {
    gst_element_set_state(pipeline, GST_STATE_PAUSED)
    gst_element_set_state(pipeline, GST_STATE_PLAYING)
  }

  func owns(_ object: UnsafeMutablePointer<GstObject>) -> Bool {
    let mine = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstObject.self)
    return object == mine || gst_object_has_as_ancestor(object, mine) != 0
  }
}
