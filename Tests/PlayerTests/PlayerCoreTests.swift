import Synchronization
import Testing

@testable import Player

/// Runs every job at once on the caller's thread; the tests call from one place at a time.
private final class InlineExecutor: SerialExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedSerialExecutor())
  }

  func checkIsolated() {}
}

private final class RecordingOutput: AudioOutput {
  private let log = Mutex<[OutputRequest]>([])
  var requests: [OutputRequest] { log.withLock { $0 } }
  func submit(_ request: OutputRequest) { log.withLock { $0.append(request) } }
}

private final class Log<Entry: Sendable>: Sendable {
  private let log = Mutex<[Entry]>([])
  var entries: [Entry] { log.withLock { $0 } }
  func append(_ entry: Entry) { log.withLock { $0.append(entry) } }
}

@Suite struct PlayerCoreTests {
  private let output = RecordingOutput()

  private func core(
    initial: PlayerSnapshot? = nil, edge: @escaping PlayerCore.Edge = { _, _ in }
  ) -> PlayerCore {
    PlayerCore(
      executor: InlineExecutor(), configuration: PlayerConfiguration(factoryVolume: 100), output: output,
      clock: { PlayerInstant(nanoseconds: 1_000_000_000) }, initial: initial, edge: edge)
  }

  @Test func gainIsSetFromTheSnapshotAtOnce() async {
    var muted = PlayerState().snapshot
    muted.player.master?.isMuted = true
    let core = core(initial: muted)
    #expect(output.requests == [.setGain(left: 0, right: 0)])
    #expect(await core.state.volume.isMuted(.master))
  }

  @Test func isCalledSynchronouslyOnItsExecutor() throws {
    let core = core()
    try core.assumeIsolated { core in
      try core.perform(.av(.setMedia(a)))
      try core.perform(.av(.play))
      core.receive(.started(PlayID(1)))
      #expect(core.state.avTransportState == .playing)
      #expect(core.position == .zero)
    }
    #expect(output.requests.map(\.name) == ["setGain", "prepare", "start"])
  }

  @Test func severalCommandsAreAllOrNothing() {
    let core = core()
    let changes = Log<PlayerState>()
    core.assumeIsolated { core in
      core.observe { _, new in changes.append(new) }
      let before = core.state
      #expect(throws: PlayerError.idNotFound) {
        try core.perform([.setVolume(.master, 10), .playlist(.delete(9))])
      }
      #expect(core.state == before)
      #expect(throws: Never.self) { try core.perform([.setVolume(.master, 10), .setMute(.master, true)]) }
      #expect(core.state.volume.step(of: .master) == 10 && core.state.volume.isMuted(.master))
    }
    #expect(changes.entries.count == 1, "one change")
  }

  @Test func aRefusalIsThrownAndChangesNothing() {
    let core = core()
    let changes = Log<PlayerState>()
    core.assumeIsolated { core in
      core.observe { _, new in changes.append(new) }
      #expect(throws: PlayerError.transitionNotAvailable) { try core.perform(.av(.play)) }
      core.receive(.ended(PlayID(7)))
    }
    #expect(changes.entries.isEmpty)
    #expect(output.requests.count == 1)
  }

  @Test func observersSeeEveryChangeOnceAndInOrder() throws {
    let core = core()
    let seen = Log<[AVTransportState]>()
    try core.assumeIsolated { core in
      let observer = core.observe { old, new in
        seen.append([old.avTransportState, new.avTransportState])
      }
      try core.perform(.av(.setMedia(a)))
      try core.perform(.av(.stop))
      try core.perform(.av(.play))
      core.removeObserver(observer)
      try core.perform(.av(.stop))
    }
    #expect(seen.entries == [[.noMediaPresent, .stopped], [.stopped, .transitioning]])
  }

  @Test func commandsOfObserversDontMixUpTheOrder() throws {
    let core = core()
    let seen = Log<[AVTransportState]>()
    try core.assumeIsolated { core in
      core.observe { [unowned core] _, new in
        guard new.avTransportState == .stopped else { return }
        core.assumeIsolated { try? $0.perform(.av(.play)) }
      }
      core.observe { old, new in seen.append([old.avTransportState, new.avTransportState]) }
      try core.perform(.av(.setMedia(a)))
    }
    #expect(seen.entries == [[.noMediaPresent, .stopped], [.stopped, .transitioning]])
  }

  @Test func containersAreResolvedByTheEdgeEvenAtOnce() throws {
    let reports = Log<PlayerReport>()
    let core = core { effect, core in
      switch effect {
      case .resolve(let id, _): core.resolved(id, .entries([a, b]))
      case .report(let report): reports.append(report)
      case .store, .wake, .refreshPresets, .findPin, .stopFindingPin: break
      case .output: Issue.record("output requests go to the output")
      }
    }
    try core.assumeIsolated { core in
      try core.perform(.av(.setMedia(.container("list"))))
      try core.perform(.av(.play))
      #expect(core.state.av.numberOfTracks == 2)
    }
    #expect(output.requests.map(\.name) == ["setGain", "start", "setNext"])
    #expect(reports.entries == [.opened(.container("list"), tracks: 2, dropped: 0)])
  }
}
