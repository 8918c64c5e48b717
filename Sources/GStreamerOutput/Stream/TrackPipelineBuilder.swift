import CGStreamer
import Player
import Threads

/// Builds the pipeline of a track: source, read-ahead buffer, decoder, converter, sink.
struct TrackPipelineBuilder {
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

  /// Less couldn't hold a burst from the network; more would be wasted memory.
  private static let (leastBytes, mostBytes) = (128 << 10, 8 << 20)
  /// The size until ``ReadAhead`` sets a larger one: enough for the first samples. Reading more would slow down their decoding.
  private static let firstBytes = 64 << 10

  static func bytes(bitRate: Int, seconds: Duration) -> Int32 {
    let milliseconds = Int(clamping: seconds.wholeNanoseconds / 1_000_000)
    let bytes = (bitRate / 8).multipliedReportingOverflow(by: milliseconds)
    return Int32(min(max(bytes.overflow ? .max : bytes.partialValue / 1000, leastBytes), mostBytes))
  }

  mutating func addReadAhead() {
    guard let queue = gst_element_factory_make("queue2", nil) else { return }
    vireo_set_int(queue, "max-size-buffers", 0)
    vireo_set_uint64(queue, "max-size-time", 0)
    vireo_set_int(queue, "max-size-bytes", Int32(Self.firstBytes))
    vireo_set_int(queue, "use-buffering", 0)
    QueryGuard.attach(to: queue)
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

  /// - Parameters:
  ///   - format: what the samples are converted to; nil for anything that ``SoundChain`` supports.
  ///   - quality: of the conversion, if the rate differs.
  mutating func addTail(_ format: StreamFormat?, quality: ResamplerQuality) throws(PlaybackFailure) {
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
        let open = "audio/x-raw,layout=interleaved,format=\(SampleEncoding.names)"
        let text = format?.capsText ?? open
        if let caps = gst_caps_from_string(text) {
          vireo_set_pointer(element, "caps", caps)
          gst_caps_unref(caps)
        }
      } else if name == "audioresample" {
        RateConversion.attach(quality, to: element)
      }
    }
  }

  /// Puts everything into a new pipeline; nil if something can't be linked.
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

  /// Makes all of it from `source`, which it takes ownership of.
  static func assembly(
    source: Element, isPushed: Bool, rawPCM: RawPCM?, format: StreamFormat?, quality: ResamplerQuality
  ) throws(PlaybackFailure) -> Assembly {
    var parts = TrackPipelineBuilder(source: source)
    if isPushed { parts.addReadAhead() }
    try parts.addDecoder(rawPCM)
    try parts.addTail(format, quality: quality)
    guard let made = parts.assemble() else {
      throw PlaybackFailure(.other, "GStreamer refused to link the pipeline of a track.")
    }
    return made
  }

  /// Frees elements that were never added to a pipeline.
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
      return CallbackContext.object(context, as: TrackFeed.self).take(sample)
    }
    callbacks.eos = { _, context in
      guard let context else { return }
      CallbackContext.object(context, as: TrackFeed.self).finish()
    }
    gst_app_sink_set_callbacks(
      sink, &callbacks, CallbackContext.retain(feed),
      { CallbackContext.release($0) })
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
        let feed = CallbackContext.object(context, as: TrackFeed.self)
        if event.pointee.type == GST_EVENT_FLUSH_STOP { feed.endFlush() } else { feed.read(event) }
        return GST_PAD_PROBE_OK
      },
      CallbackContext.retain(feed),
      { CallbackContext.release($0) })
  }

  static func attach(
    _ listeners: TrackListeners, decoder: Element, convert: Element, isRaw: Bool, isNetwork: Bool,
    tell: @escaping @Sendable (TrackLinker.Finding) -> Void
  ) {
    guard let pad = gst_element_get_static_pad(convert, "sink") else { return }
    listeners.trim.cut(at: pad)
    if isRaw {
      gst_object_unref(pad)
      return
    }
    let linker = TrackLinker(
      target: pad, listeners: listeners, mayLeadElsewhere: isNetwork, tell: tell)
    connect(decoder, "element-added", linker, unsafeBitCast(decoderChildAdded, to: GCallback.self))
    connect(decoder, "pad-added", linker, unsafeBitCast(decoderPadAdded, to: GCallback.self))
    connect(decoder, "no-more-pads", linker, unsafeBitCast(decoderNoMorePads, to: GCallback.self))
    connect(
      decoder, "autoplug-select", linker, unsafeBitCast(decoderSelect, to: GCallback.self))
    // Make the list before the first data comes.
    _ = DecoderList.shared
    connect(
      decoder, "autoplug-factories", linker, unsafeBitCast(decoderFactories, to: GCallback.self))
  }

  private static func connect(
    _ element: Element, _ signal: String, _ linker: TrackLinker, _ handler: @escaping GCallback
  ) {
    _ = vireo_connect(
      element, signal, handler, CallbackContext.retain(linker),
      { context, _ in CallbackContext.release(context) })
  }
}
