import CGStreamer
import Logging
import Player

/// Everything that the control thread owns and does. Confined to that thread.
///
/// Each track decodes in a pipeline of its own; the one whose turn it is pushes into the single device. So a next track
/// can be prepared, fail or be replaced without affecting the sound, and a joint (the transition to the next track) is
/// nothing but the next samples.
final class Engine {
  let configuration: OutputConfiguration
  let logger: Logger
  let mailbox: Mailbox
  let onEvent: @Sendable (OutputEvent) -> Void
  let deviceBus: MessageBus
  let timeline = Timeline()
  let level: BufferLevel

  var device: Device?
  /// The track that is heard, or that is being loaded.
  var heard: Track? {
    didSet { level.follow(heard.map { ($0.readAhead, timeline) }) }
  }
  /// The track whose samples go into the device: ``heard``, or for a moment the one after it.
  var feeding: Track?
  /// The track after ``heard``.
  var upcoming: Track?
  /// A track that will probably be started soon; only while nothing is ``heard``.
  var prepared: Track?
  /// Parts for a track that isn't known yet; only while there is a ``device``.
  var spare: SparePipeline?
  /// The track that ended while the next one still loads; its end is reported if the next one fails.
  var endedBefore: PlayID?
  var playback = Playback()
  var gain = (left: 1.0, right: 1.0)
  /// What is to be done later.
  var plan: EnginePlan
  /// The media whose last failure may pass. Starting it again continues the same playback.
  var interrupted: Media?
  /// Exists while a device is wanted and missing.
  var watch: DeviceWatch?
  /// The device that `auto` found takes no sound: play to a stand-in.
  var wantsStandIn = false
  /// The last report on the device.
  var deviceReport = DeviceReport.closed
  /// The warning that nothing is heard has been logged; reset when a device is there.
  var hasToldSilence = false
  /// Position and time of the last report that sound plays.
  var anchor = (position: Duration.zero, time: MonotonicTime.now)
  private var serials = 0
  private var isRunning = true

  /// Nil without GStreamer.
  init?(
    configuration: OutputConfiguration, logger: Logger, mailbox: Mailbox, level: BufferLevel,
    onEvent: @escaping @Sendable (OutputEvent) -> Void
  ) {
    guard
      let deviceBus = MessageBus(
        Self.messagesOfDevice, mailbox: mailbox, threads: DeviceThreads(logger: logger))
    else { return nil }
    self.configuration = configuration
    plan = EnginePlan(
      devicePatience: configuration.devicePatience, networkTimeout: configuration.networkTimeout)
    self.logger = logger
    self.mailbox = mailbox
    self.level = level
    self.deviceBus = deviceBus
    self.onEvent = onEvent
  }

  /// The timeline and the device's entry know each other.
  deinit { timeline.reset(entry: nil, forgetFormat: true) }

  /// Runs until it is told to quit.
  func run(beginningWith first: [Mailbox.Item]) {
    for item in first { handle(item) }
    while isRunning {
      for item in mailbox.wait(until: earliest) { handle(item) }
      ring(.now)
    }
    dropTracks()
    dropPrepared()
    dropSpare()
    device = nil
  }

  /// When the next timed work is due.
  var earliest: MonotonicTime? { [plan.earliest, oggDeadline].compactMap(\.self).min() }

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
    for due in EnginePlan.Due.allCases where plan.take(due, at: now) { perform(due, now) }
    if let oggDeadline, oggDeadline <= now { oggEndsDue(now) }
  }

  private func perform(_ due: EnginePlan.Due, _ now: MonotonicTime) {
    switch due {
    case .joint: transitionDue()
    case .silence: silenceDue()
    case .opening: openNext()
    case .release: releaseDevice()
    case .expiry: dropPrepared()
    case .spare: makeSpare()
    case .retry: retryDevice()
    case .patience: giveDeviceUp()
    case .refusal: deviceFailed("it refuses to open and doesn't say why", .unusable)
    case .starvation: starvationDue()
    case .watch: watchDue(now)
    }
  }

  func emit(_ event: OutputEvent) {
    if case .playing(_, let position) = event { anchor = (position, .now) }
    onEvent(event)
  }

  func newSerial() -> Int {
    serials += 1
    return serials
  }

  var phase: Playback.Phase { playback.phase }
  var isPaused: Bool { playback.isPaused }
  var isEndSent: Bool { playback.isEndSent }

  /// The notice handler of tracks and devices.
  var notify: @Sendable (PipelineEvent) -> Void {
    { [mailbox] in mailbox.post(.notice($0)) }
  }

  /// All existing tracks; some of them twice.
  var tracks: [Track] { [heard, feeding, upcoming, prepared].compactMap(\.self) }

  func track(_ serial: Int) -> Track? { tracks.first { $0.serial == serial } }

  /// Nil also if the track was sought since.
  func track(_ serial: Int, epoch: Int) -> Track? {
    guard let track = track(serial), track.state.epoch == epoch else { return nil }
    return track
  }

  func makeTrack(
    id: PlayID, media: Media, uri: String? = nil, rawPCM: RawPCM? = nil
  ) throws(PlaybackFailure) -> Track {
    let fixed = fixedFormat
    if spare?.format != fixed { dropSpare() }
    defer { if spare?.isUsed == true { dropSpare() } }
    return try Track(
      id: id, serial: newSerial(), media: media, uri: uri ?? media.uri,
      rawPCM: rawPCM ?? RawPCM(contentType: media.contentFormat),
      format: fixed, spare: spare, configuration: configuration, timeline: timeline, mailbox: mailbox,
      notify: notify)
  }

  /// The format that a new track's samples must be converted to; nil for their own format.
  var fixedFormat: StreamFormat? {
    guard device?.keepsFormat == true, plan.fade.purpose != .end(releasing: true) else { return nil }
    return timeline.fill.format
  }

  /// Position in `track` of what is heard now.
  func position(of track: Track) -> Duration {
    guard track.state.joint != nil, let device else {
      return .nanoseconds(Int64(clamping: track.state.startPosition))
    }
    let position = track.state.position(at: device.runningTime, end: timeline.fill.end)
    return .nanoseconds(Int64(clamping: position))
  }

  /// Drops all tracks. The device is silent and empty afterwards, or fades out first.
  func dropTracks(fading: Bool = false) {
    let fades = plan.fade.isToEnd || fading && fadeOut(.end(releasing: false))
    timeline.grant(nil)
    let tracks = [heard, feeding, upcoming]
    heard = nil
    feeding = nil
    upcoming = nil
    endedBefore = nil
    for track in tracks { track?.feed.cancel() }
    if !fades { device?.halt() }
    for track in tracks { track?.dispose() }
    plan.tracksDropped(fades: fades)
    watch = nil
    playback.stop()
  }
}
