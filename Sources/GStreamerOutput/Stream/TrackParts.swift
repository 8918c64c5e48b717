import CGStreamer
import Player
import Threads

/// Builds the pipeline of a track: source, read-ahead buffer, decoder, converter, sink.
struct TrackParts {
  typealias Element = UnsafeMutablePointer<GstElement>

  struct Assembly {
    var pipeline: Element
    var source: Element
    var decoder: Element
    var convert: Element
    var capsfilter: Element
    var sink: UnsafeMutablePointer<GstAppSink>
    var readAhead: Element?
  }

  private var chain: [Element]
  private var readAhead: Element?
  private var decoder: Element?
  private var isRaw = false
  private var tail: [Element] = []
  private var floating: [Element] { chain + tail }

  init(source: Element) {
    chain = [source]
  }

  /// Below, a burst of the network doesn't fit; above the other, it is memory that nobody hears.
  private static let (leastBytes, mostBytes) = (128 << 10, 8 << 20)

  static func bytes(bitRate: Int, seconds: Duration) -> Int32 {
    let milliseconds = Int(clamping: seconds.wholeNanoseconds / 1_000_000)
    let bytes = (bitRate / 8).multipliedReportingOverflow(by: milliseconds)
    return Int32(min(max(bytes.overflow ? .max : bytes.partialValue / 1000, leastBytes), mostBytes))
  }

  /// - Parameter isRandom: whether what is behind it may read here and there; each jump is a request of its own.
  mutating func addReadAhead(_ buffer: Duration, isRandom: Bool) {
    guard let queue = gst_element_factory_make("queue2", nil) else { return }
    vireo_set_int(queue, "max-size-buffers", 0)
    vireo_set_uint64(queue, "max-size-time", 0)
    // The least, until ``ReadAhead`` says more: who reads on now takes the processor from who decodes the first samples.
    vireo_set_int(queue, "max-size-bytes", Int32(Self.leastBytes))
    vireo_set_int(queue, "use-buffering", 0)
    if isRandom {
      vireo_set_uint64(
        queue, "ring-buffer-max-size", guint64(Self.bytes(bitRate: ReadAhead.usualBitRate, seconds: buffer)))
    }
    readAhead = queue
    chain.append(queue)
  }

  mutating func addDecoder(_ rawPCM: RawPCM?) throws(PlaybackFailure) {
    let made: Element?
    if let rawPCM {
      isRaw = true
      made = gst_element_factory_make("rawaudioparse", nil)
      if let made {
        gst_util_set_object_arg(object(made), "format", "pcm")
        gst_util_set_object_arg(object(made), "pcm-format", rawPCM.sampleName)
        vireo_set_int(made, "sample-rate", Int32(clamping: rawPCM.rate))
        vireo_set_int(made, "num-channels", Int32(clamping: rawPCM.channels))
      }
    } else {
      made = gst_element_factory_make("decodebin", nil)
    }
    guard let made else {
      discard()
      throw PlaybackFailure(
        .missingDecoder,
        "GStreamer's base elements are missing; install gstreamer1.0-plugins-base and gstreamer1.0-plugins-bad."
      )
    }
    decoder = made
    chain.append(made)
  }

  /// - Parameter isScaled: whether the samples must have a format that ``SampleScaling`` knows.
  mutating func addTail(_ format: StreamFormat?, isScaled: Bool) throws(PlaybackFailure) {
    let names =
      format == nil
      ? ["audioconvert", "capsfilter", "appsink"]
      : ["audioconvert", "audioresample", "capsfilter", "appsink"]
    for name in names {
      guard let element = gst_element_factory_make(name, nil) else {
        discard()
        throw PlaybackFailure(
          .missingDecoder, "GStreamer's \(name) is missing; install gstreamer1.0-plugins-base.")
      }
      tail.append(element)
      if name == "capsfilter" {
        let open = "audio/x-raw,layout=interleaved" + (isScaled ? ",format=\(SampleScaling.formats)" : "")
        let text = format?.capsText ?? open
        if let caps = gst_caps_from_string(text) {
          vireo_set_pointer(element, "caps", caps)
          gst_caps_unref(caps)
        }
      } else if name == "audioresample" {
        vireo_set_int(element, "quality", 8)
      }
    }
  }

  /// Puts everything into a pipeline of its own; nil when something can't be linked.
  mutating func assemble() -> Assembly? {
    guard let pipeline = gst_pipeline_new(nil), let decoder, let convert = tail.first,
      let last = tail.last, tail.count >= 3
    else {
      discard()
      return nil
    }
    let capsfilter = tail[tail.count - 2]
    let bin = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
    for element in floating { gst_bin_add(bin, element) }
    var isLinked = true
    for (from, to) in zip(chain, chain.dropFirst()) where gst_element_link(from, to) == 0 {
      isLinked = false
    }
    for (from, to) in zip(tail, tail.dropFirst()) where gst_element_link(from, to) == 0 {
      isLinked = false
    }
    if isRaw, gst_element_link(decoder, convert) == 0 { isLinked = false }
    guard isLinked else {
      gst_object_unref(pipeline)
      return nil
    }
    vireo_set_int(last, "sync", 0)
    vireo_set_int(last, "async", 0)
    vireo_set_int(last, "enable-last-sample", 0)
    vireo_set_int(last, "max-buffers", 1)
    return Assembly(
      pipeline: pipeline, source: chain[0], decoder: decoder, convert: convert, capsfilter: capsfilter,
      sink: UnsafeMutableRawPointer(last).assumingMemoryBound(to: GstAppSink.self),
      readAhead: readAhead)
  }

  /// Frees elements that never came into a pipeline.
  private mutating func discard() {
    for element in floating { gst_object_unref(element) }
    chain = []
    tail = []
  }

  private func object(_ element: Element) -> UnsafeMutablePointer<GObject> {
    UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self)
  }

  // MARK: Callbacks

  static func attach(_ feed: TrackFeed, to sink: UnsafeMutablePointer<GstAppSink>) {
    var callbacks = GstAppSinkCallbacks()
    callbacks.new_sample = { sink, context in
      guard let sink, let context, let sample = gst_app_sink_pull_sample(sink) else {
        return GST_FLOW_OK
      }
      defer { gst_sample_unref(sample) }
      return HandOver.borrow(context, as: TrackFeed.self).take(sample)
    }
    callbacks.eos = { _, context in
      guard let context else { return }
      HandOver.borrow(context, as: TrackFeed.self).finish()
    }
    gst_app_sink_set_callbacks(
      sink, &callbacks, HandOver.give(feed),
      { HandOver.end($0) })
    let element = UnsafeMutableRawPointer(sink).assumingMemoryBound(to: GstElement.self)
    guard let pad = gst_element_get_static_pad(element, "sink") else { return }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(
      pad,
      GstPadProbeType(
        rawValue: GST_PAD_PROBE_TYPE_EVENT_FLUSH.rawValue
          | (feed.wantsTags ? GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue : 0)),
      { _, info, context in
        guard let info, let context, let event = vireo_probe_event(info) else { return GST_PAD_PROBE_OK }
        let feed = HandOver.borrow(context, as: TrackFeed.self)
        if event.pointee.type == GST_EVENT_FLUSH_STOP { feed.endFlush() } else { feed.read(event) }
        return GST_PAD_PROBE_OK
      },
      HandOver.give(feed),
      { HandOver.end($0) })
  }

  static func attach(
    _ trim: TrackTrim, decoder: Element, convert: Element, isRaw: Bool,
    tellSoundless: @escaping @Sendable () -> Void
  ) {
    guard let pad = gst_element_get_static_pad(convert, "sink") else { return }
    trim.cut(at: pad)
    if isRaw {
      gst_object_unref(pad)
      return
    }
    let linker = TrackLinker(target: pad, trim: trim, tellSoundless: tellSoundless)
    connect(decoder, "element-added", linker, unsafeBitCast(decoderChildAdded, to: GCallback.self))
    connect(decoder, "pad-added", linker, unsafeBitCast(decoderPadAdded, to: GCallback.self))
    connect(decoder, "no-more-pads", linker, unsafeBitCast(decoderNoMorePads, to: GCallback.self))
    connect(
      decoder, "autoplug-select", linker, unsafeBitCast(decoderSelect, to: GCallback.self))
    // Before the first data come.
    _ = DecoderList.shared
    connect(
      decoder, "autoplug-factories", linker, unsafeBitCast(decoderFactories, to: GCallback.self))
  }

  private static func connect(
    _ element: Element, _ signal: String, _ linker: TrackLinker, _ handler: @escaping GCallback
  ) {
    _ = vireo_connect(
      element, signal, handler, HandOver.give(linker),
      { context, _ in HandOver.end(context) })
  }
}
