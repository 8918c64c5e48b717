import CGStreamer
import Logging
import Player

/// Everything that the control thread owns and does. Confined to that thread.
///
/// Each track decodes in a pipeline of its own; whose turn it is pushes into the one device. So a next track can be
/// made ready, fail or be replaced without the sound noticing, and a joint is nothing but the next samples.
final class Engine {
  enum Phase {
    case idle
    /// Waiting for the first samples to be heard, at the start or after a seek.
    case loading
    case playing
    case paused
    /// The server is too slow.
    case buffering
  }

  let configuration: OutputConfiguration
  let logger: Logger
  let mailbox: Mailbox
  let onEvent: @Sendable (OutputEvent) -> Void
  let buses: (tracks: MessageBus, device: MessageBus)
  let timeline = Timeline()
  let level: BufferLevel

  var device: Device?
  /// The track whose samples are heard, or that is being loaded.
  var heard: Track? {
    didSet { level.follow(heard.map { ($0.readAhead, timeline) }) }
  }
  /// The track whose samples go into the device: ``heard``, or for a moment the one after it.
  var feeding: Track?
  /// The track after ``heard``.
  var upcoming: Track?
  var nextWanted: NextTrack?
  /// A track that will probably be started soon; only while nothing is ``heard``.
  var prepared: Track?
  /// The track that ended while the next one still loads; told when that fails.
  var endedBefore: PlayID?
  var phase = Phase.idle
  var isPaused = false
  var isEndSent = false
  var gain = (left: 1.0, right: 1.0)
  var alarms = Alarms()
  var attempts = 0
  /// When the server of the loading or starved track last sent something.
  var lastProgress = MonotonicTime.now
  /// Position when sound was last reported to run.
  var anchor = (position: Duration.zero, time: MonotonicTime.now)
  private var serials = 0
  private var isRunning = true

  /// Nil without GStreamer.
  init?(
    configuration: OutputConfiguration, logger: Logger, mailbox: Mailbox, level: BufferLevel,
    onEvent: @escaping @Sendable (OutputEvent) -> Void
  ) {
    guard let tracks = MessageBus(Self.messagesOfTracks, mailbox: mailbox),
      let device = MessageBus(
        Self.messagesOfDevice, mailbox: mailbox, threads: DeviceThreads(logger: logger))
    else { return nil }
    self.configuration = configuration
    self.logger = logger
    self.mailbox = mailbox
    self.level = level
    buses = (tracks, device)
    self.onEvent = onEvent
  }

  /// Works until told to quit.
  func run(beginningWith first: [Mailbox.Item]) {
    for item in first { handle(item) }
    while isRunning {
      for item in mailbox.wait(until: alarms.earliest) { handle(item) }
      ring(.now)
    }
    dropTracks()
    dropPrepared()
    device = nil
  }

  func handle(_ item: Mailbox.Item) {
    switch item {
    case .request(let request): perform(request)
    case .notice(let notice): handle(notice)
    case .message(let message): handle(message.pointer)
    case .ping(let reply): reply()
    case .quit: isRunning = false
    }
  }

  /// Does what is due.
  func ring(_ now: MonotonicTime) {
    if alarms.take(\.joint, at: now) { jointDue() }
    if alarms.take(\.release, at: now) { releaseDevice() }
    if alarms.take(\.preparation, at: now) { dropPrepared() }
    if alarms.take(\.retry, at: now) { retryDevice() }
    if alarms.take(\.refusal, at: now) { deviceFailed("it refuses to open and doesn't say why") }
    if alarms.take(\.starvation, at: now) { starvationDue() }
    if alarms.take(\.watch, at: now) { watchDue(now) }
  }

  func emit(_ event: OutputEvent) {
    if case .playing(_, let position) = event { anchor = (position, .now) }
    onEvent(event)
  }

  func newSerial() -> Int {
    serials += 1
    return serials
  }

  /// A notice handler for tracks and devices.
  var notify: @Sendable (Notice) -> Void {
    { [mailbox] in mailbox.post(.notice($0)) }
  }

  func track(_ serial: Int) -> Track? {
    [heard, feeding, upcoming].compactMap(\.self).first { $0.serial == serial }
  }

  /// Nil also when it was sought since.
  func track(_ serial: Int, epoch: Int) -> Track? {
    guard let track = track(serial), track.epoch == epoch else { return nil }
    return track
  }

  func makeTrack(
    id: PlayID, media: Media, uri: String? = nil, rawPCM: RawPCM? = nil, mayJump: Bool = true
  ) throws(PlaybackFailure) -> Track {
    let format = timeline.monitor.locked { timeline.format }
    let fixed = device?.choice.keepsFormat == true ? format : nil
    return try Track(
      id: id, serial: newSerial(), media: media, uri: uri ?? media.uri,
      rawPCM: rawPCM ?? RawPCM(contentType: media.contentFormat), mayJump: mayJump,
      format: fixed, configuration: configuration, timeline: timeline, bus: buses.tracks, notify: notify)
  }

  /// Position in `track` of what is heard now.
  func position(of track: Track) -> Duration {
    guard let joint = track.joint, let device else { return .nanoseconds(Int64(track.startPosition)) }
    let end = timeline.monitor.locked { timeline.end }
    let running = min(device.runningTime, max(end, joint.running))
    let offset = running > joint.running ? running - joint.running : 0
    return .nanoseconds(Int64(clamping: joint.media + offset))
  }

  /// Gives up all tracks; the device is silent and empty afterwards.
  func dropTracks() {
    timeline.grant(nil)
    let tracks = [heard, feeding, upcoming]
    heard = nil
    feeding = nil
    upcoming = nil
    nextWanted = nil
    endedBefore = nil
    for track in tracks { track?.feed.cancel() }
    device?.halt()
    for track in tracks { track?.dispose() }
    alarms = Alarms(release: alarms.release, preparation: alarms.preparation)
    isEndSent = false
    attempts = 0
    phase = .idle
  }
}
