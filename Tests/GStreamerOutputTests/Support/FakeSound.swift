import CGStreamer
import Player

@testable import GStreamerOutput

/// A device and tracks for an ``EngineMachine`` without GStreamer: they do what the actions say, on a fake clock, and report
/// what real ones would.
final class FakeSound: EngineWorld {
  /// A thousand frames a second.
  static let (usual, other): (StreamFormat, StreamFormat) = {
    GStreamerLibrary.prepare()
    func format(_ name: String) -> StreamFormat {
      let caps = gst_caps_from_string(
        "audio/x-raw,format=\(name),layout=interleaved,rate=1000,channels=2")
      defer { gst_caps_unref(caps) }
      return StreamFormat(caps: caps)!
    }
    return (format("S16LE"), format("S32LE"))
  }()

  final class FakeTrack: TrackView {
    let wanted: NewTrack
    var isRunning = false
    var isCancelled = false
    var epoch = 0
    var format = FakeSound.usual
    /// All frames, and those that have been pushed.
    var frames = 1000
    var pushed = 0
    var isAnnounced = false
    var hasJoined = false
    var hasTold = false
    var hasAnswered = false
    /// A server that sends nothing for now.
    var isSilent = false
    var seeks = true
    var refusesSeeks = false
    var isEndless = false
    var isConverted = false

    var progress = 0
    var isSourceComplete = false
    var isFlushing = false
    var reached: UInt? { isAnnounced ? nanoseconds(pushed) : nil }
    var changesLoudness = false
    var decodedFormat: StreamFormat? { isAnnounced ? format : nil }
    var isList = false
    var listedVariants: [String] = []
    var awaitsAnswer = false
    var awaitsEnd = false
    var length: StreamLength { isEndless ? .known(nil) : .known(nanoseconds(frames)) }
    var isStreamSeekable: Bool { seeks }
    var fileLength: Int? { isEndless ? nil : frames * 4 }
    var beginsAnew = false
    func mustBeginAnew(for position: UInt) -> Bool { beginsAnew }

    init(_ wanted: NewTrack) {
      self.wanted = wanted
      if let format = wanted.format { convert(to: format) }
    }

    func convert(to format: StreamFormat) {
      self.format = format
      isConverted = true
    }

    var isNetwork: Bool { wanted.uri.hasPrefix("http") }
  }

  final class FakeDevice: DeviceView {
    let kind: DeviceKind
    var isToPlay = false
    /// It has been told to run since it was last halted.
    var hasRun = false
    var hasSettled = true
    var hasToEnd = false
    var hasEnded = false
    var isClosed = false
    var silence: UInt?
    /// Frames that have been heard since the session began, in thousandths.
    var heard = 0

    var runningTime: UInt { UInt(heard) * 1000 }
    var isPlaying = false
    var delivered: StreamFormat?
    var isDummy = false
    var target = SoundPath.Target.card
    var sinkName = "fakesink"

    init(_ kind: DeviceKind) { self.kind = kind }

    var isStandIn: Bool { if case .standIn = kind { true } else { false } }
  }

  var device: FakeDevice?
  var tracks: [Int: FakeTrack] = [:]
  var fill = DeviceFill()
  var turn: Int?
  private(set) var hasSpare = false
  private(set) var spareFormat: StreamFormat?
  private(set) var isWatched = false

  // How things are with the host.
  var isRecording = false
  /// Why no device opens.
  var problem: SinkProblem?
  var refuses = false
  /// Other rooms listen.
  var isSending = false
  var hasRemoteServer = false
  /// What new tracks are like.
  var shape: (FakeTrack) -> Void = { _ in }
  /// Why no track can be made.
  var failure: (NewTrack) -> PlaybackFailure? = { _ in nil }

  // What has been done.
  private(set) var made = 0
  private(set) var disposed = 0
  private(set) var granted: [Int] = []
  private(set) var faults: [String] = []

  var openDevice: (any DeviceView)? { device }
  func view(_ serial: Int) -> (any TrackView)? { tracks[serial] }

  func forgetFaults() { faults = [] }

  private func check(_ isTrue: Bool, _ text: String) { if !isTrue { faults.append(text) } }

  // MARK: What the engine does

  func perform(_ action: EngineAction) -> ActionResult? {
    switch action {
    case .make(let wanted):
      if let failure = failure(wanted) { return .notMade(wanted, failure) }
      made += 1
      check(tracks[wanted.serial] == nil, "made twice")
      let track = FakeTrack(wanted)
      shape(track)
      tracks[wanted.serial] = track
      if track.isNetwork { (hasSpare, spareFormat) = (false, nil) }
      return .made(wanted)
    case .track(let serial, let action):
      guard let track = tracks[serial] else {
        check(false, "\(action) of a track that is gone")
        return nil
      }
      return perform(action, track)
    case .device(.open(let kind)):
      check(device == nil, "two devices")
      if let problem {
        if case .configured = kind { return .notOpened(kind, problem) }
        if case .wrong = problem { return .notOpened(kind, problem) }
      }
      device = FakeDevice(kind)
      return .opened(kind, keepsFormat: isRecording)
    case .device(let action):
      guard let device else {
        check(false, "\(action) without a device")
        return nil
      }
      return perform(action, device)
    case .timeline(let action): return perform(action)
    case .makeSpare(let format): (hasSpare, spareFormat) = (true, format)
    case .dropSpare: (hasSpare, spareFormat) = (false, nil)
    case .watch:
      isWatched = true
      return .watching(isComplete: !hasRemoteServer)
    case .endWatch: isWatched = false
    case .findDevice: return .deviceFound(problem == nil)
    case .measure(let serial): check(serial.map { tracks[$0] != nil } ?? true, "a gone track is measured")
    case .trimMemory, .emit, .log: break
    }
    return nil
  }

  private func perform(_ action: TrackAction, _ track: FakeTrack) -> ActionResult? {
    let serial = track.wanted.serial
    switch action {
    case .run: track.isRunning = true
    case .prepare, .claim, .carryOn, .readOn, .beginReading, .endReading, .goOnReading: break
    case .cancel: track.isCancelled = true
    case .dispose:
      disposed += 1
      tracks[serial] = nil
      check(turn != serial, "the track whose turn it is goes")
    case .seek(let position):
      track.epoch += 1
      (track.isAnnounced, track.hasJoined, track.hasTold) = (false, false, false)
      if !track.refusesSeeks { track.pushed = min(track.frames, Int(position / 1_000_000)) }
      return .sought(serial, epoch: track.epoch, isAccepted: !track.refusesSeeks)
    case .skip(let position):
      track.pushed = max(track.pushed, min(track.frames, Int(position / 1_000_000)))
    case .flush: break
    case .loseDevice: track.hasJoined = false
    case .convert(let format): track.convert(to: format)
    case .takeServerFaults: return .serverFaults(serial, ServerFaults())
    }
    return nil
  }

  private func perform(_ action: DeviceAction, _ device: FakeDevice) -> ActionResult? {
    switch action {
    case .open: break
    case .close: self.device = nil
    case .run(let isPaused, let reportsRefusal):
      device.hasRun = true
      if refuses, reportsRefusal { return .deviceRefused }
      device.isToPlay = !isPaused
      device.hasSettled = false
      device.isPlaying = false
    case .hold:
      device.isToPlay = false
      device.isPlaying = false
    case .halt:
      empty(device)
      (device.hasRun, device.isToPlay, device.isPlaying) = (false, false, false)
      device.hasSettled = true
      device.isClosed = false
    case .flush:
      empty(device)
      device.hasSettled = false
      device.isPlaying = false
    case .end: device.hasToEnd = true
    case .ended: device.hasEnded = true
    case .closeEntry: device.isClosed = true
    case .openEntry:
      device.isClosed = false
      device.silence = nil
    case .setGain: break
    case .restartClock: check(device.isToPlay || refuses, "the clock starts without playing")
    }
    return nil
  }

  private func empty(_ device: FakeDevice) {
    (device.hasToEnd, device.hasEnded, device.silence, device.heard) = (false, false, nil, 0)
    device.isClosed = false
  }

  private func perform(_ action: TimelineAction) -> ActionResult? {
    switch action {
    case .grant(let serial):
      check(turn != serial, "granted twice")
      turn = serial
      if let serial {
        granted.append(serial)
        check(tracks[serial] != nil, "granted to a track that is gone")
        check(device != nil, "granted without a device")
      }
    case .begin(let forgetFormat):
      turn = nil
      fill.reset(forgetFormat: forgetFormat)
    case .detach:
      turn = nil
      fill.reset(forgetFormat: true)
    case .refill: fill.refill()
    case .endRefilling: fill.endRefilling()
    case .leadIn:
      check(isSending, "silence is played for nobody")
      guard isSending, !fill.isEmpty else { return .ledIn(at: 0, 0) }
      let start = fill.frames - fill.queued
      fill.insert(frames: 500)
      return .ledIn(at: nanoseconds(start), nanoseconds(500))
    }
    return nil
  }

  // MARK: What happens by itself

  /// The device fails, or is unplugged.
  func loseDevice(_ problem: SinkProblem?) -> [EngineEvent] {
    self.problem = problem
    return device == nil ? [] : [.device(.failed(reason: "it is gone", .absent))]
  }

  /// A device is plugged in, or released by whoever had it.
  func findDevice() -> [EngineEvent] {
    problem = nil
    refuses = false
    return isWatched ? [.notice(.deviceMayHaveAppeared)] : []
  }

  /// Something happens soon.
  var isBusy: Bool {
    device?.isPlaying == true || device?.hasSettled == false
      || tracks.values.contains { $0.isRunning && !$0.isSilent && !$0.isAnnounced }
  }

  /// What happens in `milliseconds`, of which there are a few.
  func pass(_ milliseconds: Int) -> [EngineEvent] {
    var events: [EngineEvent] = []
    for track in tracks.values.sorted(by: { $0.wanted.serial < $1.wanted.serial }) { read(track, &events) }
    if let device { play(device, milliseconds, &events) }
    return events
  }

  private func read(_ track: FakeTrack, _ events: inout [EngineEvent]) {
    guard track.isRunning, !track.isCancelled, !track.isSilent else { return }
    let serial = track.wanted.serial
    if track.isNetwork, !track.hasAnswered {
      track.hasAnswered = true
      var fields = [("Accept-Ranges", track.seeks ? "bytes" : "none")]
      if !track.isEndless { fields.append(("Content-Length", "\(track.frames * 4)")) }
      events.append(.track(serial, .answered(ServerAnswer(status: 200, fields: fields))))
      return
    }
    track.progress += 100
    if track.isFlushing { track.isFlushing = false }
    if !track.isAnnounced, track.pushed < track.frames {
      track.isAnnounced = true
      events.append(.notice(.ready(serial, epoch: track.epoch, track.format)))
    }
    while turn == serial, let device, !device.hasToEnd, !fill.isFull, track.pushed < track.frames,
      (fill.format ?? track.format) == track.format
    {
      let wasStarved = fill.isStarved
      let count = min(200, track.frames - track.pushed)
      let start = fill.put(frames: count, format: track.format)
      if !track.hasJoined {
        track.hasJoined = true
        events.append(
          .notice(
            .joined(
              serial, epoch: track.epoch, running: nanoseconds(start), media: nanoseconds(track.pushed))))
      }
      if wasStarved { events.append(.notice(.fed)) }
      track.pushed += count
    }
    if track.pushed == track.frames, !track.hasTold, !track.isEndless {
      track.hasTold = true
      track.isSourceComplete = true
      events.append(.notice(.sourceEnded(serial)))
      events.append(.notice(.finished(serial, epoch: track.epoch)))
    }
  }

  private func play(_ device: FakeDevice, _ milliseconds: Int, _ events: inout [EngineEvent]) {
    guard device.hasRun else { return }
    let hasSamples = !fill.isEmpty
    if !device.hasSettled, hasSamples || device.hasToEnd {
      device.hasSettled = true
      device.isPlaying = device.isToPlay
      device.delivered = fill.format
      events.append(.device(.settled))
    }
    if device.isClosed, device.silence == nil {
      device.silence = device.runningTime + 30_000_000
      events.append(.notice(.silenced))
    }
    guard device.isPlaying else { return }
    let end = fill.frames * 1000
    let limit = device.silence.map { min(end, Int($0) / 1000) } ?? end
    let next = min(max(limit, device.heard), device.heard + milliseconds * 1000)
    let taken = next / 1000 - device.heard / 1000
    device.heard = next
    if taken > 0 || fill.queued == 0, hasSamples {
      if fill.took(frames: taken).isDry { events.append(.notice(.starved)) }
    }
    if device.hasToEnd, !device.hasEnded, fill.queued == 0, !device.isClosed {
      device.isPlaying = true
      events.append(.device(.ended))
    }
  }
}

private func nanoseconds(_ frames: Int) -> UInt { UInt(frames) * 1_000_000 }
