import Testing

@testable import Player

/// What one Play may ask of servers that somebody else has named.
@Suite struct TriesTests {
  private static let list = Media(uri: "http://radio/station.pls")
  private static let entries = (0..<2000).map { Media(uri: "http://radio/\($0)") }
  private static let dead = PlaybackFailure(.notFound, "The server has no such thing.")

  /// Runs until nothing more happens; how many streams were asked for, and how long it took.
  private func run(_ rig: inout Rig, _ failing: (inout Rig) -> Void) -> (starts: Int, time: Duration) {
    let beginning = rig.now
    var starts = 0
    for _ in 0..<5000 {
      switch rig.state.transport {
      case .loading:
        starts += 1
        failing(&rig)
      case .reconnecting:
        rig.wait(rig.lastPause ?? .zero)
        rig.wakeUp()
      case .resolving: rig.answer(.entries(Self.entries))
      default: return (starts, rig.now.duration(since: beginning))
      }
    }
    return (starts, rig.now.duration(since: beginning))
  }

  @Test func aListOfDeadAddressesIsGivenUp() {
    var rig = Rig()
    rig.radio(.setChannel(Self.list), .play)
    let (starts, time) = run(&rig) { $0.receive(.failed($0.id, Self.dead)) }
    #expect(starts <= StationAttempts.most && starts > StationAttempts.mostAtOnce)
    #expect(time <= StationAttempts.longest)
    #expect(time >= .seconds(30), "with pauses")
    #expect(rig.state.phase == .stopped)
    #expect(rig.state.failure?.kind == .notFound)
    #expect(rig.state.failure?.message.contains("\(starts) addresses of the list were tried in vain") == true)
    #expect(rig.reports.count == 1)
  }

  @Test func slowOnesAreBoundedByTheirTime() {
    var rig = Rig()
    rig.radio(.setChannel(Self.list), .play)
    let (starts, time) = run(&rig) {
      $0.wait(.seconds(15))
      $0.receive(.failed($0.id, Self.dead))
    }
    #expect(starts <= 5)
    #expect(time <= StationAttempts.longest + .seconds(20))
    #expect(rig.state.phase == .stopped)
  }

  /// Each begins to send and breaks off at once.
  @Test func aListOfStreamsThatBreakOffIsTriedSlowly() {
    var rig = Rig()
    rig.radio(.setChannel(Self.list), .play)
    let (starts, time) = run(&rig) {
      $0.start()
      $0.wait(.milliseconds(10))
      $0.receive(.failed($0.id, dropped))
    }
    #expect(starts > 100)
    #expect(Int64(starts) <= time.components.seconds * 25 / 60)
    #expect(rig.state.phase == .stopped, "not for ever")
    #expect(starts < 5000)
  }

  @Test func soundThatLastsMakesGoodForWhatFailed() {
    var rig = Rig()
    rig.radio(.setChannel(Self.list), .play)
    rig.answer(.entries(Self.entries))
    for _ in 0..<4 { rig.receive(.failed(rig.id, Self.dead)) }
    rig.start()
    rig.wait(.seconds(11))
    rig.receive(.failed(rig.id, dropped))
    #expect(rig.requestNames == ["start"], "the next is tried at once again")
  }

  @Test(arguments: [Command.radio(.stop), .radio(.pause), .setStandby(true), .setSource(.playlist)])
  func stopEndsIt(command: Command) {
    var rig = Rig()
    rig.radio(.setChannel(Self.list), .play)
    rig.answer(.entries(Self.entries))
    for _ in 0..<StationAttempts.mostAtOnce { rig.receive(.failed(rig.id, Self.dead)) }
    #expect(rig.state.phase == .buffering)
    #expect(rig.requestNames == ["stop"], "a pause")
    rig.perform(command)
    #expect(rig.state.phase == .stopped)
    let before = rig.state
    rig.wakeUp()
    #expect(rig.state == before)
  }

  @Test func playDoesNotWait() {
    var rig = Rig()
    rig.radio(.setChannel(Self.list), .play)
    rig.answer(.entries(Self.entries))
    for _ in 0..<StationAttempts.mostAtOnce { rig.receive(.failed(rig.id, Self.dead)) }
    rig.radio(.play)
    #expect(rig.requestNames == ["start"])
    rig.wakeUp()
    #expect(rig.requests.isEmpty)
  }
}

/// Tracks that are over as soon as they have begun.
@Suite struct PaceTests {
  @Test func aRow() {
    var pace = TrackRateLimit()
    var now = PlayerInstant(nanoseconds: 0)
    let pauses = (0...TrackRateLimit.most).map { _ in pace.began(at: now) }
    #expect(pauses == Array(repeating: .zero, count: TrackRateLimit.most) + [.seconds(1)])
    now = PlayerInstant(nanoseconds: 3_600_000_000_000)
    #expect(pace.pause(at: now) == .zero)
  }

  /// A player that has had so many short tracks that the next one has to wait.
  private func hurried() -> Rig {
    var rig = Rig.playing([a, b], mode: .repeatAll)
    for _ in 0..<2 * TrackRateLimit.most {
      rig.wait(.milliseconds(10))
      rig.receive(.ended(rig.id))
      guard case .loading = rig.state.transport else { break }
      rig.start()
    }
    return rig
  }

  /// A track that is long enough is followed without a gap, whatever came before it.
  @Test func aLongTrackHasItsFollowerInTime() {
    var rig = hurried()
    rig.wait(rig.lastPause ?? .zero)
    rig.wakeUp()
    rig.start()
    #expect(rig.state.offer == nil)
    rig.receive(.duration(rig.id, .seconds(180)))
    #expect(rig.state.offer != nil)
  }

  @Test func whoSeeksWhileATrackWaitsIsHeard() {
    var rig = hurried()
    guard case .reconnecting = rig.state.transport else { return #expect(Bool(false), "it waits") }
    rig.av(.seek(to: .seconds(60)))
    rig.wait(rig.lastPause ?? .zero)
    rig.wakeUp()
    let starts = rig.requests.contains {
      if case .start(_, _, .seconds(60), _) = $0 { true } else { false }
    }
    #expect(starts)
  }

  /// Starts of a track of 10 ms that is repeated, by the output (`isGapless`) or by us.
  @Test(arguments: [true, false]) func repeatedForTenMinutes(isGapless: Bool) {
    var rig = Rig.playing([a, b], mode: .repeatAll)
    let beginning = rig.now
    var starts = 0
    for _ in 0..<100_000 where rig.now.duration(since: beginning) < .seconds(600) {
      rig.wait(.milliseconds(10))
      if case .reconnecting = rig.state.transport {
        rig.wait(rig.lastPause ?? .zero)
        rig.wakeUp()
        rig.start()
        starts += 1
      } else if isGapless, rig.state.offer != nil {
        rig.receive(.started(rig.nextID))
        starts += 1
      } else {
        rig.receive(.ended(rig.id))
        if case .loading = rig.state.transport {
          rig.start()
          starts += 1
        }
      }
    }
    #expect((500...700).contains(starts), "one a second, after the first")
    #expect(rig.state.phase != .stopped)
  }

  @Test func tracksOfAFewSecondsAreNotDelayed() {
    var rig = Rig.playing([a, b], mode: .repeatAll)
    for _ in 0..<1000 {
      rig.wait(.seconds(1))
      #expect(rig.state.offer != nil)
      rig.receive(.started(rig.nextID))
      #expect(rig.state.phase == .playing)
    }
  }

  @Test func aPauseWhileItWaitsHoldsIt() {
    var rig = Rig.playing([a, b], mode: .repeatAll)
    for _ in 0..<100 {
      rig.wait(.milliseconds(10))
      rig.receive(.ended(rig.id))
      guard case .loading = rig.state.transport else { break }
      rig.start()
    }
    #expect(rig.shown == .transitioning)
    rig.av(.pause)
    rig.wakeUp()
    #expect(rig.requests.isEmpty)
    rig.av(.play)
    #expect(rig.requestNames.contains("start"))
  }
}
