import CGStreamer
import CSoupGuard
import Player

/// One attempt to play one track: its own pipeline from the URI to PCM, so that its errors, seeks and waits are
/// its own. Confined to the control thread; the streaming threads see ``TrackFeed`` and ``TrackTrim`` only.
final class Track {
  /// The attempt that it is; one that was prepared gets its own when it is started.
  var id: PlayID
  let serial: Int
  let media: Media
  /// Where it is read: the address of ``media``, or where a server sent us from there.
  let uri: String
  let mayJump: Bool
  /// How often a server sent us elsewhere.
  var redirects = 0
  let location: TrackSource.Location
  let pipeline: UnsafeMutablePointer<GstElement>
  let feed: TrackFeed
  let trim: TrackTrim
  private let capsfilter: UnsafeMutablePointer<GstElement>
  private let meter = ByteMeter()
  let readAhead: ReadAhead?
  private var isDisposed = false

  /// Where to begin (the position asked for by `start`, or by a seek before the samples came).
  var startPosition: guint64 = 0
  /// Format of its samples; known once they wait for their turn.
  var format: StreamFormat?
  /// Where to go once the seek that is on its way has come through.
  var awaitedSeek: guint64?
  /// How often it was sought; older notices are of samples that nobody hears.
  private(set) var epoch = 0
  /// Its samples wait for their turn, or already had it.
  var isReady = false
  /// Some of its samples went into a device, which may be gone by now.
  var hasPushed = false
  /// All samples went into the device.
  var isFinished = false
  /// It has been heard.
  var isStarted = false
  var isSeekable = false
  /// What ended it early; told once what came before has been heard.
  var failure: PlaybackFailure?
  var duration: guint64?
  var information = TrackInformation()
  /// Where in the running time of the device it begins, and which position of the track that is.
  var joint: (running: guint64, media: guint64)?
  /// ``progress`` when the device ran dry.
  var starvedProgress = 0
  /// Its server answered a request for a part with the whole.
  var isRangeRefused = false
  /// ``progress`` when it was last looked at.
  var lastProgress = 0
  /// It is read as raw samples because the server's answer says so.
  var hasTriedRaw = false
  /// `buffering` was told for its loading.
  var hasReportedWait = false

  /// - Parameters:
  ///   - uri: where it is read.
  ///   - mayJump: whether the server may be asked for parts, for containers that are read here and there.
  ///   - format: what the samples must be converted to; nil for their own format.
  init(
    id: PlayID, serial: Int, media: Media, uri: String, rawPCM: RawPCM?, mayJump: Bool, format: StreamFormat?,
    configuration: OutputConfiguration, timeline: Timeline, bus: MessageBus,
    notify: @escaping @Sendable (Notice) -> Void
  ) throws(PlaybackFailure) {
    self.id = id
    self.serial = serial
    self.media = media
    self.mayJump = mayJump
    self.uri = uri
    location = try TrackSource.location(of: uri, directories: configuration.fileDirectories)
    feed = TrackFeed(
      serial: serial, timeline: timeline, replayGain: configuration.replayGain, notify: notify)
    trim = TrackTrim(serial: serial, notify: notify)
    guard let source = TrackSource.make(location, configuration: configuration)
    else {
      throw PlaybackFailure(
        .missingDecoder,
        "No source for this address is installed; install gstreamer1.0-plugins-good (souphttpsrc).")
    }
    var parts = TrackParts(source: source)
    if location.isPushed {
      parts.addReadAhead(configuration.buffer, isRandom: location.isNetwork && media.isOgg && mayJump)
    }
    try parts.addDecoder(rawPCM)
    try parts.addTail(format, isScaled: feed.wantsTags)
    guard let made = parts.assemble() else {
      throw PlaybackFailure(.other, "GStreamer refused to link the pipeline of a track.")
    }
    pipeline = made.pipeline
    capsfilter = made.capsfilter
    readAhead = made.readAhead.map(ReadAhead.init)
    gst_element_set_bus(pipeline, bus.pointer)
    TrackParts.attach(feed, to: made.sink)
    TrackParts.attach(trim, decoder: made.decoder, convert: made.convert, isRaw: rawPCM != nil) {
      notify(.soundless(serial))
    }
    meter.attach(to: made.source, isNetwork: location.isNetwork)
    if rawPCM != nil { information.codec = .pcm }
  }

  deinit { dispose() }

  /// Does what can be done without reading.
  func prepare() {
    gst_element_set_state(pipeline, GST_STATE_READY)
  }

  /// Starts reading and decoding; samples wait for their turn.
  func run() {
    gst_element_set_state(pipeline, GST_STATE_PLAYING)
  }

  /// After each error that what has come already is to survive.
  ///
  /// A bin gives up a change of state that is under way when an error passes it (GstBin takes the error for the
  /// result of the change). Where the source fails before the decoder is ready, the samples behind it would wait for
  /// ever for the pipeline to run.
  ///
  /// A bin that is changing its state just now is left alone: it may wait for the sink, whose samples wait for their turn, which
  /// only this thread can give.
  func carryOn() {
    guard vireo_try_lock_state(pipeline) != 0 else { return }
    defer { vireo_unlock_state(pipeline) }
    var state = GST_STATE_NULL
    gst_element_get_state(pipeline, &state, nil, 0)
    if state != GST_STATE_PLAYING { run() }
  }

  /// Stops everything; after this no notice of the track comes any more.
  func dispose() {
    guard !isDisposed else { return }
    isDisposed = true
    feed.cancel()
    csoupguard_mend_session()
    gst_element_set_state(pipeline, GST_STATE_NULL)
    gst_element_set_bus(pipeline, nil)
    gst_object_unref(pipeline)
  }

  /// Fixes what the samples are converted to.
  func convert(to format: StreamFormat) {
    guard let caps = gst_caps_from_string(format.capsText) else { return }
    vireo_set_pointer(capsfilter, "caps", caps)
    gst_caps_unref(caps)
  }

  /// Duration and seekability as last told to the player.
  var toldDuration: guint64?
  var toldSeekable: Bool?
  var toldDetails: StreamDetails?
  /// Counted, not guessed; known once all samples have come.
  var exactDuration: guint64?

  /// Asks the demuxer for duration and seekability.
  func inquire() {
    var found: gint64 = 0
    if let exactDuration {
      duration = exactDuration
    } else if gst_element_query_duration(pipeline, GST_FORMAT_TIME, &found) != 0, found > 0 {
      let extended = trim.hasLongerMovie ? MovieHeader.extension : 0
      duration = trimmed(guint64(found) > extended ? guint64(found) - extended : guint64(found))
    }
    isSeekable = false
    guard let query = gst_query_new_seeking(GST_FORMAT_TIME) else { return }
    defer { gst_query_unref(query) }
    if gst_element_query(pipeline, query) != 0 {
      var seekable: gboolean = 0
      gst_query_parse_seeking(query, nil, &seekable, nil, nil)
      isSeekable = seekable != 0
    }
    // GStreamer finds out only by failing.
    if location.isNetwork, isRangeRefused || !information.acceptsRanges { isSeekable = false }
  }

  /// A file whose tag is applied here and not upstream is shorter than the demuxer says.
  private func trimmed(_ duration: guint64) -> guint64 {
    guard let end = trim.end, trim.rate > 0 else { return duration }
    return gst_util_uint64_scale_round(
      guint64(max(0, end - trim.skip)), 1_000_000_000, guint64(trim.rate))
  }

  /// Flushing, exact seek; the samples that follow wait for their turn. False when the stream can't.
  func seek(to position: guint64) -> Bool {
    let rate = trim.rate
    let skip =
      rate > 0 ? gst_util_uint64_scale_round(guint64(trim.skip), 1_000_000_000, guint64(rate)) : 0
    epoch = feed.beginFlush()
    isFinished = false
    isReady = false
    let flags = GstSeekFlags(
      rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
    // Up to the very end: some demuxers take the duration of a header for the end of the last packet.
    let done = gst_element_seek(
      pipeline, 1, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, gint64(clamping: position &+ skip),
      GST_SEEK_TYPE_SET, -1)
    if done == 0 { feed.abandonFlush() }
    return done != 0
  }

  /// Bytes that the source has put out so far.
  var progress: Int { meter.bytes }

  /// The source has put out everything.
  var isSourceComplete: Bool { meter.isComplete }

  /// What is known of its bit rate, or usual.
  private var bitRate: Int { information.bitRate > 0 ? information.bitRate : ReadAhead.usualBitRate }

  /// Has `seconds` read ahead, by what is known of the bit rate; until this is called it is only what comes while the
  /// first samples are decoded.
  func readOn(ahead seconds: Duration) {
    readAhead?.hold(seconds, at: bitRate)
  }

  /// Bytes that must come before it goes on after the server was too slow.
  func bytesToResume(_ buffer: Duration) -> Int {
    Int(TrackParts.bytes(bitRate: bitRate, seconds: min(buffer, .seconds(2)))) / 2
  }

  /// Whether a message of `object` is about this track.
  func owns(_ object: UnsafeMutablePointer<GstObject>) -> Bool {
    let mine = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstObject.self)
    return object == mine || gst_object_has_as_ancestor(object, mine) != 0
  }
}
