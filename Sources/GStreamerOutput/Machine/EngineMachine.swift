import Player

/// Everything that the engine decides. Pure: events and time go in, actions come out; the shell (``Engine``) carries them
/// out.
///
/// Each track decodes in a pipeline of its own; the one whose turn it is pushes into the single device. So a next track
/// can be prepared, fail or be replaced without affecting the sound, and a joint (the transition to the next track) is
/// nothing but the next samples.
///
/// An event leads to actions and steps, in the order of the agenda. ``next(at:)`` takes them one by one. The result of an
/// action goes to ``handle(_:at:)`` before the next one is taken, and what follows from it comes first: as if the
/// action were a call.
struct EngineMachine {
  private enum Entry {
    case action(EngineAction)
    case step(EngineStep)
  }

  let configuration: OutputConfiguration
  let world: any EngineWorld
  /// The time of the event or step that is handled.
  private(set) var now = MonotonicTime(nanoseconds: 0)
  /// What is to be done, in reverse.
  private var agenda: [Entry] = []
  /// What follows from the event or step that is handled.
  private var fresh: [Entry] = []
  private var serials = 0

  /// All tracks that exist.
  private(set) var tracks: [TrackRecord] = []
  /// The track that is heard, or that is being loaded.
  private(set) var heard: Int?
  /// The track whose samples go into the device: ``heard``, or for a moment the one after it.
  var feeding: Int?
  /// The track after ``heard``.
  var upcoming: Int?
  /// A track that will probably be started soon; only while nothing is ``heard``.
  var prepared: Int?
  /// The track that may push its samples.
  private(set) var turn: Int?

  var playback = Playback()
  /// What is to be done later.
  var plan: EnginePlan
  var gain = (left: 1.0, right: 1.0)
  var output = DeviceState()
  var reporter: DeviceReporter
  var estimate = PositionEstimate()
  /// The track that ended while the next one still loads; its end is reported if the next one fails.
  var unreportedEnd: PlayID?
  /// The media whose last failure may pass. Starting it again continues the same playback.
  var interruptedMedia: Media?

  init(configuration: OutputConfiguration, world: any EngineWorld) {
    self.configuration = configuration
    self.world = world
    plan = EnginePlan(
      devicePatience: configuration.devicePatience, networkTimeout: configuration.networkTimeout)
    reporter = DeviceReporter(output: configuration.output)
  }

  // MARK: In and out

  /// Decides what follows from `event`. Take all of it by ``next(at:)`` before the next event, unless that is a result.
  mutating func handle(_ event: EngineEvent, at now: MonotonicTime) {
    self.now = now
    switch event {
    case .request(let request): perform(request)
    case .notice(let notice): handle(notice)
    case .track(let serial, let message): if self[serial] != nil { handle(message, of: serial) }
    case .device(let message): if device != nil { handle(message) }
    case .time: then(.due(EnginePlan.Due.allCases[...], at: now))
    case .readingOverdue(let serial): readingOverdue(serial)
    case .result(let result): handle(result)
    case .quit: quit()
    }
    enter()
  }

  /// The next action; nil when everything has been done.
  mutating func next(at now: MonotonicTime) -> EngineAction? {
    self.now = now
    while let entry = agenda.popLast() {
      switch entry {
      case .action(let action): return action
      case .step(let step):
        take(step)
        enter()
      }
    }
    return nil
  }

  /// When the first thing is due.
  var earliest: MonotonicTime? { plan.earliest }

  /// Puts what follows before everything else.
  private mutating func enter() {
    agenda.append(contentsOf: fresh.reversed())
    fresh.removeAll(keepingCapacity: true)
  }

  mutating func act(_ action: EngineAction) { fresh.append(.action(action)) }

  mutating func act(_ action: DeviceAction) { act(.device(action)) }

  mutating func act(_ action: TrackAction, on serial: Int) { act(.track(serial, action)) }

  mutating func then(_ step: EngineStep) { fresh.append(.step(step)) }

  mutating func emit(_ event: OutputEvent) {
    if case .playing(_, let position) = event { estimate = PositionEstimate(position, at: now) }
    act(.emit(event))
  }

  mutating func log(
    _ level: EngineLogLine.Level, _ text: String, play: PlayID? = nil, file: String = #fileID,
    line: UInt = #line
  ) {
    act(.log(EngineLogLine(level: level, text: text, play: play, file: file, line: line)))
  }

  // MARK: What there is

  /// What is known of a track. Setting nil forgets it.
  subscript(serial: Int?) -> TrackRecord? {
    get { tracks.first { $0.serial == serial } }
    set {
      guard let index = tracks.firstIndex(where: { $0.serial == serial }) else { return }
      if let newValue { tracks[index] = newValue } else { tracks.remove(at: index) }
    }
  }

  /// Nil also if the track was sought since.
  func track(_ serial: Int, epoch: Int) -> TrackRecord? {
    guard let track = self[serial], track.state.epoch == epoch else { return nil }
    return track
  }

  var device: OpenDevice? { output.open }
  var phase: Playback.Phase { playback.phase }
  var isPaused: Bool { playback.isPaused }
  var isEndSent: Bool { playback.isEndSent }

  mutating func hear(_ serial: Int?) {
    guard heard != serial else { return }
    heard = serial
    act(.measure(serial))
  }

  /// Lets `serial` push its samples, and nobody else; nil: nobody.
  mutating func grant(_ serial: Int?) {
    guard turn != serial else { return }
    turn = serial
    act(.timeline(.grant(serial)))
  }

  /// Begins a session of the device, in which nobody may push.
  mutating func beginSession(forgetFormat: Bool) {
    turn = nil
    act(.timeline(.begin(forgetFormat: forgetFormat)))
  }

  /// There is no device any more, so nobody may push.
  mutating func detach() {
    turn = nil
    act(.timeline(.detach))
  }

  /// Makes a track.
  mutating func make(
    id: PlayID, media: Media, uri: String? = nil, rawPCM: RawPCM? = nil, variants: [String]? = nil,
    for purpose: NewTrack.Purpose
  ) {
    let format = fixedFormat
    if world.spareFormat != format { dropSpare() }
    serials += 1
    act(
      .make(
        NewTrack(
          serial: serials, id: id, media: media, uri: uri ?? media.uri,
          rawPCM: rawPCM ?? RawPCM(contentType: media.contentFormat), format: format, variants: variants,
          purpose: purpose)))
  }

  mutating func add(_ track: TrackRecord) { tracks.append(track) }

  mutating func dispose(_ serial: Int) {
    guard self[serial] != nil else { return }
    if turn == serial { grant(nil) }
    self[serial] = nil
    act(.dispose, on: serial)
  }

  /// The format that a new track's samples must be converted to; nil for their own format.
  var fixedFormat: StreamFormat? {
    guard device?.keepsFormat == true, plan.fade.purpose != .end(releasing: true) else { return nil }
    return world.fill.format
  }

  /// Running time of what is heard now; 0 without a device.
  var runningTime: UInt { world.openDevice?.runningTime ?? 0 }

  /// Position in `track` of what is heard now.
  func position(of track: TrackRecord) -> Duration {
    if let room = track.room { return room.position + now.passed(since: room.since) }
    guard track.state.joint != nil, device != nil else { return track.startPosition }
    let position = track.state.position(at: runningTime, end: world.fill.end)
    return .nanoseconds(Int64(clamping: position))
  }

  /// Asks the stream for duration and seekability.
  mutating func inquire(_ serial: Int) {
    guard let view = world.view(serial) else { return }
    self[serial]?.inquire(view)
  }

  /// Drops all tracks. The device is silent and empty afterwards, or fades out first.
  mutating func dropTracks(fading: Bool = false) {
    let fades = plan.fade.isToEnd || fading && fadeOut(.end(releasing: false))
    grant(nil)
    var dropped: [Int] = []
    for case let serial? in [heard, feeding, upcoming] where !dropped.contains(serial) {
      dropped.append(serial)
    }
    hear(nil)
    (feeding, upcoming, unreportedEnd) = (nil, nil, nil)
    for serial in dropped { act(.cancel, on: serial) }
    if !fades, device != nil { act(.halt) }
    for serial in dropped { dispose(serial) }
    plan.tracksDropped(fades: fades)
    endWatch()
    playback.stop()
  }

  private mutating func quit() {
    dropTracks()
    dropPrepared()
    dropSpare()
    if device != nil { act(.close) }
    output.open = nil
  }
}
