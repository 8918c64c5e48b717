import Player
import Testing

@testable import GStreamerOutput

/// An ``EngineMachine`` on a fake clock, with a ``FakeSound``. After each event it checks what must always be true.
final class EngineRig {
  /// What the player may be told of one attempt.
  private struct Attempt {
    var hasStarted = false
    var hasEnded = false
  }

  /// No event leads to more actions.
  static let mostActions = 60

  let sound = FakeSound()
  var machine: EngineMachine
  private(set) var now = MonotonicTime(nanoseconds: 1_000_000_000_000)
  private(set) var events: [OutputEvent] = []
  private(set) var lines: [EngineLogLine] = []
  private(set) var faults: [String] = []
  private var attempts: [PlayID: Attempt] = [:]
  private(set) var current: PlayID?
  private var ids: UInt64 = 0

  init(_ output: String = "auto", releaseAfter: Duration = .seconds(10)) {
    var configuration = OutputConfiguration(output: output, releaseAfter: releaseAfter)
    configuration.devicePatience = .seconds(60)
    machine = EngineMachine(configuration: configuration, world: sound)
    sound.isRecording = output.hasPrefix("file:")
  }

  // MARK: What comes

  func send(_ event: EngineEvent) {
    machine.handle(event, at: now)
    var count = 0
    while let action = machine.next(at: now) {
      count += 1
      if case .emit(let event) = action { note(event) }
      if case .log(let line) = action { lines.append(line) }
      if let result = sound.perform(action) { machine.handle(.result(result), at: now) }
      if count > 1000 { break }
    }
    if count > Self.mostActions { faults.append("\(count) actions") }
    check("\(event)")
  }

  func perform(_ request: OutputRequest) {
    switch request {
    case .start(let id, _, _, _):
      attempts = [id: Attempt()]
      current = id
    case .setNext(let next?) where current != nil: attempts[next.id] = attempts[next.id] ?? Attempt()
    case .stop:
      attempts = [:]
      current = nil
    default: break
    }
    send(.request(request))
  }

  func send(_ events: [EngineEvent]) { for event in events { send(event) } }

  /// Starts a track and returns its attempt.
  @discardableResult
  func start(_ uri: String = "http://host/a", at position: Duration = .zero, paused: Bool = false) -> PlayID {
    let id = newID()
    perform(.start(id, Media(uri: uri), position: position, paused: paused))
    return id
  }

  @discardableResult
  func setNext(_ uri: String = "http://host/b") -> PlayID {
    let id = newID()
    perform(.setNext(NextTrack(id: id, media: Media(uri: uri))))
    return id
  }

  func newID() -> PlayID {
    ids += 1
    return PlayID(ids)
  }

  /// Lets time pass.
  func pass(_ milliseconds: Int) {
    var left = milliseconds
    while left > 0 {
      let step = min(left, sound.isBusy ? 10 : 100)
      left -= step
      now = now + .milliseconds(step)
      let device = sound.device
      for event in sound.pass(step) {
        // Nobody reads the messages of a device that is gone.
        if case .device = event, sound.device !== device { continue }
        send(event)
      }
      if let earliest = machine.earliest, earliest <= now { send(.time) }
    }
  }

  /// Lets time pass until `isDone`; false if that takes too long.
  @discardableResult
  func pass(_ most: Duration = .seconds(30), until isDone: () -> Bool) -> Bool {
    let limit = now + most
    while !isDone() {
      guard now < limit else { return false }
      pass(10)
    }
    return true
  }

  /// The track that is heard.
  var track: FakeSound.FakeTrack? { machine.heard.flatMap { sound.tracks[$0] } }
  var next: FakeSound.FakeTrack? { machine.upcoming.flatMap { sound.tracks[$0] } }
  var isPlaying: Bool { machine.phase == .playing }

  // MARK: What the player is told

  private func note(_ event: OutputEvent) {
    events.append(event)
    guard let id = event.playID else { return }
    guard let attempt = attempts[id] else { return faults.append("nobody plays it: \(event)") }
    if attempt.hasEnded { faults.append("it is over: \(event)") }
    switch event {
    case .started:
      if attempt.hasStarted { faults.append("started twice: \(event)") }
      attempts[id]?.hasStarted = true
      if id != current { attempts = attempts.filter { $0.key >= id } }
      current = id
    case .playing: if !attempt.hasStarted { faults.append("not started: \(event)") }
    case .ended, .failed: attempts[id]?.hasEnded = true
    default: break
    }
  }

  // MARK: What is always true

  private func check(_ event: String) {
    let before = faults.count
    defer {
      for index in before..<max(before, faults.count) { faults[index] += " after \(event.prefix(200))" }
    }
    func check(_ isTrue: Bool, _ text: String) { if !isTrue { faults.append(text) } }
    let (machine, device) = (machine, sound.device)
    if !sound.faults.isEmpty { faults.append(sound.faults.joined(separator: ", ")) }
    sound.forgetFaults()

    let roles = Set([machine.heard, machine.feeding, machine.upcoming, machine.prepared].compactMap(\.self))
    check(Set(machine.tracks.map(\.serial)) == roles, "a track that nobody needs, or needs that is gone")
    check(Set(sound.tracks.keys) == roles, "a track that is known isn't there, or the other way round")
    check(machine.turn == sound.turn, "another turn")
    check((machine.device == nil) == (device == nil), "another device")
    check((machine.heard == nil) == (machine.phase == .idle), "silence with a track, or sound without")
    check(machine.prepared == nil || machine.heard == nil, "prepared while something plays")
    check([machine.heard, machine.upcoming].contains(machine.feeding), "another track feeds")
    check(machine.upcoming == nil || machine.upcoming != machine.heard, "a track follows itself")
    if machine.heard == nil {
      for due in EnginePlan.Due.allCases
      where ![.release, .expiry, .spare, .silence].contains(due) && machine.plan[due] != nil {
        check(false, "\(due) is due while idle")
      }
      check(!sound.isWatched, "devices are watched while idle")
    }
    guard let device else {
      let isAwaited = machine.plan.device.retry != nil || machine.plan.device.patience != nil
      check(
        machine.heard == nil || isAwaited || machine.isPaused && sound.isWatched, "nobody awaits the device")
      return
    }
    guard machine.plan.fade.purpose == nil, machine.heard != nil, !machine.plan.device.hasRefused else {
      return
    }
    if machine.isPaused { check(!device.isToPlay, "it plays in spite of the pause") }
    switch machine.phase {
    case .playing: check(device.isToPlay, "it is silent")
    case .paused, .buffering: check(!device.isToPlay, "it plays")
    case .idle, .loading: break
    }
  }

  /// For whoever looks for a fault.
  private var state: String {
    let tracks = sound.tracks.values.map {
      "\($0.wanted.serial) \($0.wanted.uri) \($0.pushed)/\($0.frames) announced \($0.isAnnounced) joined \($0.hasJoined) told \($0.hasTold) running \($0.isRunning)"
    }
    return
      "turn \(sound.turn ?? 0), heard \(machine.heard ?? 0), feeding \(machine.feeding ?? 0), next \(machine.upcoming ?? 0), \(tracks), \(sound.fill), ends \(machine.isEndSent), device \(sound.device.map { "plays \($0.isPlaying), to play \($0.isToPlay), settled \($0.hasSettled), closed \($0.isClosed), ends \($0.hasToEnd), ended \($0.hasEnded), at \($0.heard / 1000)" } ?? "none"), \(machine.tracks.map { $0.state })"
  }

  /// Everything is well, and what plays is heard to its end: nothing is left.
  func finish() {
    func expect(_ isTrue: Bool, _ text: String) { if !isTrue { faults.append("in the end: \(text)") } }
    send(sound.findDevice())
    sound.failure = { _ in nil }
    sound.shape = { _ in }
    for track in sound.tracks.values {
      (track.isSilent, track.isEndless, track.awaitsEnd) = (false, false, false)
      send(.notice(.oggEnd(track.wanted.serial, .unknowable)))
    }
    if let current { perform(.resume(current)) }
    expect(pass(.seconds(200)) { machine.heard == nil }, "\(machine.phase) for ever: \(state)")
    perform(.stop)
    expect(pass(.seconds(20)) { sound.device == nil }, "the device is never released")
    expect(
      machine.earliest == nil,
      "due: \(EnginePlan.Due.allCases.filter { machine.plan[$0] != nil })")
    expect(sound.tracks.isEmpty && sound.made == sound.disposed, "a track is left")
    expect(!sound.hasSpare, "parts are left")
  }
}
