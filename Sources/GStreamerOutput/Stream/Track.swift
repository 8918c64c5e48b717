import CGStreamer
import CSoupGuard
import Player
import RoomsIO

/// One attempt to play one track: its own pipeline from the URI to PCM, with errors, seeks and waits of its own.
///
/// Confined to the control thread; the streaming threads see ``TrackFeed`` and ``TrackTrim`` only.
final class Track {
  let serial: Int
  /// The address that is read.
  let uri: String
  let location: TrackSource.Location
  let pipeline: UnsafeMutablePointer<GstElement>
  /// Its own: a pipeline that ends discards what waits on its bus, and everything that comes later.
  private let bus: MessageBus
  let feed: TrackFeed
  let listeners: TrackListeners
  private let capsfilter: UnsafeMutablePointer<GstElement>
  let source: UnsafeMutablePointer<GstElement>
  private let meter: ByteMeter
  let readAhead: ReadAhead?
  /// Reads the picture in its tags; nil where nobody asks for it.
  let pictures: PictureTag?
  /// Detects Ogg and FLAC, and seeks in them; nil for tracks that don't come from the network.
  private(set) var reading: FileReading?
  /// Plays what another room sends, instead of the pipeline, which then never runs.
  private let room: RoomPlayer?
  private var isDisposed = false
  private var hasRun = false

  init(
    _ new: NewTrack, spare: SparePipeline?, configuration: OutputConfiguration, timeline: Timeline,
    rooms: OutputRooms, mailbox: Mailbox,
    notify: @escaping @Sendable (PipelineEvent) -> Void
  ) throws(PlaybackFailure) {
    let serial = new.serial
    self.serial = serial
    uri = new.uri
    pictures = configuration.readsPictures ? PictureTag() : nil
    location = try TrackSource.location(of: uri, directories: configuration.fileDirectories)
    let rawPCM = location.isRoom ? RawPCM.anything : new.rawPCM
    feed = TrackFeed(
      serial: serial, timeline: timeline, replayGain: configuration.replayGain, notify: notify)
    if case .room(let address) = location {
      room = RoomPlayer(
        uri: address, rooms: rooms, track: feed, timeline: timeline, notify: notify)
    } else {
      room = nil
      feed.claim(new.id.value)
    }
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
        source: source, isPushed: location.isPushed, rawPCM: rawPCM, format: new.format,
        quality: configuration.resampler)
    }
    pipeline = made.pipeline
    capsfilter = made.capsfilter
    self.source = made.source
    readAhead = made.readAhead.map(ReadAhead.init)
    gst_element_set_bus(pipeline, bus.pointer)
    TrackPipelineBuilder.attach(feed, to: made.sink)
    TrackPipelineBuilder.attach(
      listeners, decoder: made.decoder, convert: made.convert, isRaw: rawPCM != nil,
      isNetwork: location.isNetwork
    ) { notify($0 == .list ? .list(serial) : .soundless(serial)) }
    meter.attach(to: made.source, isNetwork: location.isNetwork)
    if location.isNetwork, rawPCM == nil, let queue = made.readAhead {
      reading = FileReading(serial: serial, behind: queue, trim: trim, notify: notify)
    }
  }

  deinit { dispose() }

  var trim: TrackTrim { listeners.trim }

  /// Does what needs no reading.
  func prepare() {
    guard room == nil else { return }
    gst_element_set_state(pipeline, GST_STATE_READY)
  }

  /// Starts reading and decoding; later calls do nothing. Samples wait for their turn.
  ///
  /// A second change of state might wait for the first, which might wait for the sink, whose samples wait for a turn
  /// that only this thread can give.
  func run() {
    guard !hasRun else { return }
    hasRun = true
    if let room { return room.start() }
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
    room?.stop()
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

  /// Starts a flushing, accurate seek; the samples that follow wait for their turn. Returns its number, and
  /// whether the stream can seek.
  func seek(to position: guint64) -> (epoch: Int, isAccepted: Bool) {
    let rate = trim.rate
    let ahead =
      rate > 0 ? gst_util_uint64_scale_round(guint64(max(0, trim.ahead)), 1_000_000_000, guint64(rate)) : 0
    let target = position &+ ahead
    let epoch = feed.beginFlush()
    if let reading, reading.seeksItself {
      let isDone = reading.seek(to: target, epoch: epoch)
      if !isDone { feed.abandonFlush() }
      return (epoch, isDone)
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
    return (epoch, done != 0)
  }

  /// Bytes that the source has put out so far.
  var progress: Int { meter.bytes }

  /// The source has put out everything.
  var isSourceComplete: Bool { meter.isComplete }

  /// Reads ahead `seconds` of the track at `bitRate`.
  ///
  /// Until this is called, only what comes while the first samples are decoded is read ahead.
  func readOn(ahead seconds: Duration, bitRate: Int) {
    readAhead?.hold(seconds, at: bitRate)
  }

  /// Whether `object`, the source of a message, is part of this track.
  func owns(_ object: UnsafeMutablePointer<GstObject>) -> Bool {
    let mine = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstObject.self)
    return object == mine || gst_object_has_as_ancestor(object, mine) != 0
  }
}
