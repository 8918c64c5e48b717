import CGStreamer
import CSoupGuard
import Player

/// One attempt to play one track: its own pipeline from the URI to PCM, with errors, seeks and waits of its own.
///
/// Confined to the control thread; the streaming threads see ``TrackFeed`` and ``TrackTrim`` only.
final class Track {
  /// The attempt's ID; a prepared track gets it when it is started.
  var id: PlayID
  let serial: Int
  let media: Media
  /// The address that is read: that of ``media``, or where a server redirected us.
  let uri: String
  /// Variants of its list that remain to be tried, as written there; nil before one has failed.
  var variants: [String]?
  /// The address of that list, to which the variants are relative.
  var listURI: String
  /// How many redirects were followed.
  var redirects = 0
  let location: TrackSource.Location
  let pipeline: UnsafeMutablePointer<GstElement>
  /// Its own: a pipeline that ends discards what waits on its bus, and everything that comes later.
  private let bus: MessageBus
  let feed: TrackFeed
  let listeners: TrackListeners
  private let capsfilter: UnsafeMutablePointer<GstElement>
  private let source: UnsafeMutablePointer<GstElement>
  private let meter: ByteMeter
  let readAhead: ReadAhead?
  /// Detects Ogg and FLAC, and seeks in them; nil for tracks that don't come from the network.
  private(set) var reading: FileReading?
  private var isDisposed = false
  private var hasRun = false

  /// How far it has come.
  var state = TrackState()
  /// What the player has been told of it.
  var reports = TrackReports()
  var isSeekable = false
  /// Whether it isn't a stream that goes on for ever.
  var hasEnd: Bool {
    media.hasEnd(
      duration: duration.map { .nanoseconds(Int64(clamping: $0)) }, isPromised: promisesEnd,
      isStation: information.isStation)
  }
  /// Whether the server says how long it is.
  var promisesEnd: Bool { information.contentLength != nil && !listeners.manifest.isList }
  var duration: guint64?
  var information = TrackInformation()
  /// What ``ServerWatch`` has seen of it.
  var seen = ServerWatch.Seen()
  /// It is read as raw samples, because the control point or the server's answer says so.
  let isRaw: Bool

  /// - Parameters:
  ///   - uri: the address to read.
  ///   - format: what the samples must be converted to; nil for their own format.
  init(
    id: PlayID, serial: Int, media: Media, uri: String, rawPCM: RawPCM?, format: StreamFormat?,
    spare: SparePipeline?, configuration: OutputConfiguration, timeline: Timeline, mailbox: Mailbox,
    notify: @escaping @Sendable (PipelineEvent) -> Void
  ) throws(PlaybackFailure) {
    self.id = id
    self.serial = serial
    self.media = media
    self.uri = uri
    listURI = uri
    isRaw = rawPCM != nil
    location = try TrackSource.location(of: uri, directories: configuration.fileDirectories)
    feed = TrackFeed(
      serial: serial, timeline: timeline, replayGain: configuration.replayGain, notify: notify)
    listeners = TrackListeners(trim: TrackTrim(serial: serial, notify: notify))
    meter = ByteMeter { notify(.sourceEnded(serial)) }
    guard let bus = MessageBus(Engine.messagesOfTracks, mailbox: mailbox) else {
      throw PlaybackFailure(.other, "GStreamer makes no message bus.")
    }
    self.bus = bus
    let made: TrackPipelineBuilder.Assembly
    if case .network(let address) = location, rawPCM == nil, let assembly = spare?.take() {
      TrackSource.aim(assembly.source, at: address)
      made = assembly
    } else {
      guard let source = TrackSource.make(location, configuration: configuration) else {
        throw PlaybackFailure(
          .missingDecoder,
          "No source for this address is installed; install gstreamer1.0-plugins-good (souphttpsrc).")
      }
      made = try TrackPipelineBuilder.assembly(
        source: source, isPushed: location.isPushed, rawPCM: rawPCM, format: format,
        quality: configuration.resampler)
    }
    pipeline = made.pipeline
    capsfilter = made.capsfilter
    self.source = made.source
    readAhead = made.readAhead.map(ReadAhead.init)
    gst_element_set_bus(pipeline, bus.pointer)
    TrackPipelineBuilder.attach(feed, to: made.sink)
    TrackPipelineBuilder.attach(
      listeners, decoder: made.decoder, convert: made.convert, isRaw: isRaw, isNetwork: location.isNetwork
    ) { notify($0 == .list ? .list(serial) : .soundless(serial)) }
    meter.attach(to: made.source, isNetwork: location.isNetwork)
    if location.isNetwork, !isRaw, let queue = made.readAhead {
      reading = FileReading(serial: serial, behind: queue, trim: trim, notify: notify)
    }
    if isRaw { information.codec = .pcm }
  }

  deinit { dispose() }

  var trim: TrackTrim { listeners.trim }

  /// Whether the server's answer may still say that the samples are raw. Its header comes before them, and nothing may
  /// be heard before it has been read.
  var mayTurnOutRaw: Bool { location.isNetwork && !isRaw && state.format == nil }

  /// Does what needs no reading.
  func prepare() {
    gst_element_set_state(pipeline, GST_STATE_READY)
  }

  /// Starts reading and decoding; later calls do nothing. Samples wait for their turn.
  ///
  /// A second change of state might wait for the first, which might wait for the sink, whose samples wait for a turn
  /// that only this thread can give.
  func run() {
    guard !hasRun else { return }
    hasRun = true
    gst_element_set_state(pipeline, GST_STATE_PLAYING)
  }

  /// Keeps the pipeline running after an error if the samples received so far are still to be played.
  ///
  /// A bin cancels a pending change of state when an error passes it (GstBin takes the error for the result of the
  /// change). If the source fails before the decoder is ready, the samples after it would wait for ever for the
  /// pipeline to run.
  ///
  /// A bin that is changing its state just now is left alone, as in ``run()``.
  func carryOn() {
    guard vireo_try_lock_state(pipeline) != 0 else { return }
    defer { vireo_unlock_state(pipeline) }
    var state = GST_STATE_NULL
    gst_element_get_state(pipeline, &state, nil, 0)
    if state != GST_STATE_PLAYING { gst_element_set_state(pipeline, GST_STATE_PLAYING) }
  }

  /// Stops everything; afterwards no more notices of the track come.
  func dispose() {
    guard !isDisposed else { return }
    isDisposed = true
    feed.cancel()
    reading?.end()
    csoupguard_fix_session_finalize()
    gst_element_set_state(pipeline, GST_STATE_NULL)
    gst_element_set_bus(pipeline, nil)
    gst_object_unref(pipeline)
  }

  /// Sets the format that the samples are converted to.
  func convert(to format: StreamFormat) {
    guard let caps = gst_caps_from_string(format.capsText) else { return }
    vireo_set_pointer(capsfilter, "caps", caps)
    gst_caps_unref(caps)
  }

  /// In nanoseconds, counted instead of guessed; known once all samples have come.
  var exactDuration: guint64?

  /// Asks the demuxer for duration and seekability.
  func inquire() {
    var found: gint64 = 0
    if let exactDuration {
      duration = exactDuration
    } else if listeners.movie.isFragmented {
      duration = listeners.movie.fragmentedDuration
    } else if let reading, reading.isOgg {
      // Ogg's demuxer only guesses.
      duration = reading.duration
    } else if gst_element_query_duration(pipeline, GST_FORMAT_TIME, &found) != 0, found > 0 {
      let extended = listeners.movie.hasExtendedDuration ? MovieHeader.extension : 0
      duration = trimmed(guint64(found) > extended ? guint64(found) - extended : guint64(found))
    }
    // A length from a tag at the beginning is that of the first file that the station plays.
    if information.isStation { duration = nil }
    inquireAverage()
    if let reading, reading.isOgg {
      isSeekable = reading.isSeekable && !state.isRangeRefused
      return
    }
    isSeekable = false
    guard let query = gst_query_new_seeking(GST_FORMAT_TIME) else { return }
    defer { gst_query_unref(query) }
    if gst_element_query(pipeline, query) != 0 {
      var seekable: gboolean = 0
      gst_query_parse_seeking(query, nil, &seekable, nil, nil)
      isSeekable = seekable != 0
    }
    // GStreamer would notice only when the seek fails.
    if location.isNetwork, state.isRangeRefused || !information.acceptsRanges { isSeekable = false }
    // The demuxer claims to be able to seek, but does nothing, or lands anywhere.
    if listeners.movie.isFragmented || listeners.seeks.manner == .unknown { isSeekable = false }
  }

  /// Computes the bit rate from the file's length, if the file contains the sound and nothing else.
  private func inquireAverage() {
    guard information.averageBitRate == 0, let duration, duration > 0, !trim.hasOtherStreams,
      listeners.manifest.bytes.isEmpty
    else { return }
    var bytes: gint64 = 0
    guard gst_element_query_duration(source, GST_FORMAT_BYTES, &bytes) != 0, bytes > 0 else { return }
    let rate = Double(bytes) * 8 * 1_000_000_000 / Double(duration)
    information.averageBitRate = Int(min(rate, 1_000_000_000))
  }

  /// A file whose tag is applied here, not upstream, is shorter than the demuxer says.
  private func trimmed(_ duration: guint64) -> guint64 {
    guard let end = trim.end, trim.rate > 0 else { return duration }
    return gst_util_uint64_scale_round(
      guint64(max(0, end - trim.skip)), 1_000_000_000, guint64(trim.rate))
  }

  /// Starts a flushing, accurate seek; the samples that follow wait for their turn. False if the stream can't seek.
  func seek(to position: guint64) -> Bool {
    let rate = trim.rate
    let ahead =
      rate > 0 ? gst_util_uint64_scale_round(guint64(max(0, trim.ahead)), 1_000_000_000, guint64(rate)) : 0
    let target = position &+ ahead
    let epoch = feed.beginFlush()
    state.seekBegan(epoch)
    if let reading, reading.seeksItself {
      let isDone = reading.seek(to: target, epoch: epoch)
      if !isDone { feed.abandonFlush() }
      return isDone
    }
    var from = target
    if listeners.seeks.manner == .near {
      from -= min(from, SeekManner.margin)
      trim.expect(target, byClock: true)
    }
    let flags = GstSeekFlags(
      rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
    // To the very end: some demuxers take the duration from a header for the end of the last packet.
    let done = gst_element_seek(
      pipeline, 1, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, gint64(clamping: from),
      GST_SEEK_TYPE_SET, -1)
    if done == 0 { feed.abandonFlush() }
    return done != 0
  }

  /// Bytes that the source has put out so far.
  var progress: Int { meter.bytes }

  /// The source has put out everything.
  var isSourceComplete: Bool { meter.isComplete }

  /// The bit rate as far as it is known, or a usual one.
  private var bitRate: Int {
    let known = max(information.readRate, information.averageBitRate)
    return known > 0 ? known : ReadAhead.usualBitRate
  }

  /// Reads ahead `seconds` of the track, by its bit rate as far as that is known.
  ///
  /// Until this is called, only what comes while the first samples are decoded is read ahead.
  func readOn(ahead seconds: Duration) {
    readAhead?.hold(seconds, at: bitRate)
  }

  /// Whether `object`, the source of a message, is part of this track.
  func owns(_ object: UnsafeMutablePointer<GstObject>) -> Bool {
    let mine = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstObject.self)
    return object == mine || gst_object_has_as_ancestor(object, mine) != 0
  }
}
