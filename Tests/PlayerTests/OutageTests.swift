import Testing

@testable import Player

private let refused = PlaybackFailure(.unreachable, "refused")

private func brokeOff(at seconds: Double) -> PlaybackFailure {
  var failure = PlaybackFailure(.unreachable, "broke off")
  failure.reached = .seconds(seconds)
  failure.isAnswered = true
  return failure
}

/// The machine alone.
@Suite struct OutageTests {
  private var now = PlayerInstant(nanoseconds: 0)
  private var outage = Outage(at: .seconds(20), now: PlayerInstant(nanoseconds: 0))

  private mutating func fail(
    _ failure: PlaybackFailure, at position: Double = 20, patience: Duration = .seconds(120)
  ) -> Outage.Step {
    outage.failed(failure, at: .seconds(position), now: now, patience: patience)
  }

  private mutating func pass(_ seconds: Int64) {
    now = PlayerInstant(nanoseconds: now.nanoseconds + seconds * 1_000_000_000)
  }

  @Test mutating func waitsLongerEachTimeAndStopsInTime() {
    var waits: [Int64] = []
    var last: Outage.Step?
    for _ in 0..<40 {
      let step = fail(refused)
      last = step
      guard case .tryAgain(let pause) = step else { break }
      waits.append(pause.components.seconds)
      pass(pause.components.seconds)
    }
    #expect(waits == [1, 2, 4, 8] + Array(repeating: 10, count: 10) + [5])
    #expect(last == .patienceIsOver)
  }

  @Test mutating func withoutPatienceNobodyIsWaitedFor() {
    #expect(fail(refused, patience: .zero) == .patienceIsOver)
    #expect(fail(brokeOff(at: 20), patience: .zero) == .trackIsBad)
  }

  @Test mutating func threeAttemptsThatGetNoFurtherAreEnough() {
    #expect(fail(brokeOff(at: 20)) == .tryAgain(after: .seconds(1)))
    // A decoder's few samples more are no progress.
    #expect(fail(brokeOff(at: 20), at: 20.1) == .tryAgain(after: .seconds(2)))
    #expect(fail(brokeOff(at: 20), at: 19) == .tryAgain(after: .seconds(4)))
    #expect(fail(brokeOff(at: 20)) == .trackIsBad)
  }

  /// A server that answers and then sends nothing takes long each time.
  @Test mutating func slowAttemptsThatGetNoFurtherAreFewer() {
    #expect(fail(brokeOff(at: 20)) == .tryAgain(after: .seconds(1)))
    pass(11)
    #expect(fail(brokeOff(at: 20)) == .trackIsBad)
  }

  /// How long nobody could be reached doesn't count.
  @Test mutating func aServerThatIsBackGetsItsAttempts() {
    for _ in 0..<5 {
      guard case .tryAgain = fail(refused) else {
        Issue.record("given up")
        return
      }
      pass(10)
    }
    #expect(fail(brokeOff(at: 20)) != .trackIsBad)
  }

  @Test mutating func progressBeginsTheCountAnew() {
    for position in stride(from: 20.0, to: 40, by: 1) {
      #expect(fail(brokeOff(at: position), at: position) == .tryAgain(after: .seconds(1)))
      pass(30)
    }
  }

  @Test mutating func whoCanNotBeReachedIsNoBadTrack() {
    for _ in 0..<3 {
      for failure in [brokeOff(at: 20), brokeOff(at: 20), refused] {
        guard case .tryAgain = fail(failure) else {
          Issue.record("given up")
          return
        }
      }
    }
  }
}

/// What the player makes of it.
@Suite struct LostTrackTests {
  /// `a` is heard, `b` follows.
  private func rig(_ configuration: PlayerConfiguration = PlayerConfiguration()) -> Rig {
    var rig = Rig(configuration)
    rig.playlist(.insert(after: 0, a), .insert(after: 1, b), .play)
    rig.start()
    rig.receive(.duration(rig.id, .seconds(60)))
    rig.receive(.seekable(rig.id, true))
    rig.wait(.seconds(20))
    return rig
  }

  @Test func theTrackGoesOnWhereItWas() {
    var rig = rig()
    let counted = rig.state.counters
    rig.receive(.failed(rig.id, brokeOff(at: 20)))
    for _ in 0..<4 {
      #expect(rig.state.phase == .buffering)
      #expect(rig.state.failure == nil)
      #expect(rig.state.currentTrack == a)
      rig.wakeUp()
      #expect(rig.requests.first == .start(rig.id, a, position: .seconds(20), paused: false))
      rig.receive(.failed(rig.id, refused))
    }
    rig.wakeUp()
    rig.start()
    #expect(rig.state.phase == .playing)
    #expect(rig.position == .seconds(20))
    #expect(rig.state.counters.trackCount == counted.trackCount, "it is the same stream")
  }

  @Test func theEndOfPatienceKeepsTrackAndPosition() {
    var rig = rig(PlayerConfiguration(patience: .seconds(10)))
    rig.receive(.failed(rig.id, brokeOff(at: 20)))
    for _ in 0..<4 {
      rig.wait(.seconds(5))
      rig.wakeUp()
      rig.receive(.failed(rig.id, refused))
    }
    #expect(rig.state.phase == .stopped)
    #expect(rig.state.failure == refused)
    #expect(rig.state.currentTrack == a, "an outage never eats the playlist")
    rig.playlist(.play)
    #expect(rig.requests.first == .start(rig.id, a, position: .seconds(20), paused: false))
  }

  @Test func aBadTrackIsSkipped() {
    var rig = rig()
    for _ in 0..<3 {
      rig.receive(.failed(rig.id, brokeOff(at: 20)))
      #expect(rig.state.currentTrack == a)
      rig.wakeUp()
    }
    rig.receive(.failed(rig.id, brokeOff(at: 20)))
    #expect(rig.state.currentTrack == b)
  }

  @Test func aNextTrackThatIsAwayStaysNext() {
    var rig = rig()
    rig.receive(.failed(rig.nextID, refused))
    #expect(rig.requests.isEmpty)
    rig.receive(.ended(rig.id))
    #expect(rig.state.currentTrack == b)
    rig.receive(.failed(rig.id, refused))
    #expect(rig.state.phase == .buffering)
    #expect(rig.state.currentTrack == b)
  }

  @Test func aNextTrackThatIsLateIsWaitedForAsTheCurrentOne() {
    var rig = rig()
    let next = rig.nextID
    rig.receive(.buffering(next))
    #expect(rig.state.currentTrack == b)
    #expect(rig.state.phase == .buffering)
    rig.receive(.started(next))
    #expect(rig.state.phase == .playing)
  }

  @Test func pauseHoldsStill() {
    var rig = rig()
    rig.receive(.failed(rig.id, brokeOff(at: 20)))
    rig.playlist(.pause)
    #expect(rig.state.phase == .paused)
    rig.wakeUp()
    #expect(rig.requests.isEmpty)
    rig.playlist(.play)
    #expect(rig.requests.first == .start(rig.id, a, position: .seconds(20), paused: false))
  }

  @Test func aSeekMovesThePlace() {
    var rig = rig()
    rig.receive(.failed(rig.id, brokeOff(at: 20)))
    rig.playlist(.seek(to: .seconds(40)))
    rig.wakeUp()
    #expect(rig.requests.first == .start(rig.id, a, position: .seconds(40), paused: false))
  }

  @Test(arguments: [PlaylistCommand.stop, .next, .deleteAll]) func endsTheWaiting(_ command: PlaylistCommand)
  {
    var rig = rig()
    rig.receive(.failed(rig.id, brokeOff(at: 20)))
    let wake = rig.lastWake
    rig.playlist(command)
    let before = rig.state
    if let wake { rig.wakeUp(wake) }
    #expect(rig.state == before)
    #expect(rig.state.outage == nil)
  }

  @Test func aStreamWithoutAnEndIsOpenedWhereItIsNow() {
    var rig = Rig()
    rig.playlist(.insert(after: 0, a), .play)
    rig.start()
    rig.receive(.seekable(rig.id, false))
    rig.wait(.seconds(100))
    rig.receive(.failed(rig.id, brokeOff(at: 100)))
    rig.wakeUp()
    #expect(rig.requests.first == .start(rig.id, a, position: .zero, paused: false))
  }

  /// Nobody knows how long it is, but the server says that it ends: it is no station.
  @Test func aFileOfUnknownDurationGoesOnWhereItWas() {
    var rig = Rig()
    rig.playlist(.insert(after: 0, a), .play)
    rig.start()
    rig.receive(.seekable(rig.id, false))
    rig.receive(.details(rig.id, StreamDetails(codecName: "FLAC", hasEnd: true)))
    rig.wait(.seconds(100))
    rig.receive(.failed(rig.id, brokeOff(at: 100)))
    rig.wakeUp()
    #expect(rig.requests.first == .start(rig.id, a, position: .seconds(100), paused: false))
  }

  /// A server that converts the track can't tell how long it is, but the control point can. The output judges by the same
  /// rule. A station that is over at some time goes on with something else.
  @Test(arguments: [false, true]) func theControlPointsWordIsEnough(isStation: Bool) {
    var rig = Rig()
    let media = Media.track("converted", duration: .seconds(200))
    rig.playlist(.insert(after: 0, media), .play)
    rig.start()
    rig.receive(.seekable(rig.id, false))
    rig.receive(.details(rig.id, StreamDetails(codecName: "MP3", isStation: isStation)))
    rig.wait(.seconds(100))
    rig.receive(.failed(rig.id, brokeOff(at: 100)))
    rig.wakeUp()
    #expect(
      rig.requests.first
        == .start(rig.id, media, position: isStation ? .zero : .seconds(100), paused: false))
  }

  @Test(arguments: [nil, Duration.zero]) func aDurationOfNothingIsNoEnd(hint: Duration?) {
    #expect(!Media.track("x", duration: hint).hasEnd(duration: nil, isPromised: false, isStation: false))
  }

  /// A stream without an end that was cast, and is heard.
  private func live(_ patience: Duration) -> Rig {
    var rig = Rig.playing(a, configuration: PlayerConfiguration(patience: patience))
    rig.receive(.seekable(rig.id, false))
    return rig
  }

  /// The server answers each time, and breaks off or falls silent after a moment of sound.
  @Test(arguments: [(0.1, 0), (0.3, 0), (5, 0), (0.1, 10)] as [(Double, Int64)])
  func aLiveStreamThatNeverGetsGoingIsGivenUp(moment: Double, silence: Int64) {
    var rig = live(.seconds(120))
    let beginning = rig.now
    var pauses: [Duration] = []
    for _ in 0..<500 {
      rig.wait(.seconds(moment))
      if silence > 0 {
        rig.receive(.buffering(rig.id))
        rig.wait(.seconds(silence))
      }
      rig.receive(.failed(rig.id, brokeOff(at: moment)))
      guard case .reconnecting = rig.state.transport else { break }
      pauses.append(rig.lastPause ?? .zero)
      rig.wait(rig.lastPause ?? .zero)
      rig.wakeUp()
      rig.start()
    }
    #expect(Array(pauses.prefix(5)) == [1, 2, 4, 8, 10].map { Duration.seconds($0) })
    #expect(rig.shown == .stopped)
    #expect(rig.state.avFailure?.message == "broke off")
    #expect(rig.reports.contains { if case .failed(a, _) = $0 { true } else { false } })
    let time = rig.now.duration(since: beginning)
    #expect(time >= .seconds(110) && time <= .seconds(150), "as long as its patience")
  }

  /// Until the first connection nobody knows that the stream is live.
  @Test func aLiveStreamMayBeginWithFailures() {
    var rig = Rig()
    rig.av(.setMedia(a), .play)
    for _ in 0..<2 {
      rig.receive(.failed(rig.id, brokeOff(at: 0)))
      rig.wait(rig.lastPause ?? .zero)
      rig.wakeUp()
    }
    rig.receive(.seekable(rig.id, false))
    rig.start()
    rig.wait(.seconds(8))
    rig.receive(.failed(rig.id, brokeOff(at: 8)))
    guard case .reconnecting = rig.state.transport else {
      Issue.record("given up: \(rig.state.transport)")
      return
    }
  }

  @Test func aLiveStreamThatLastsIsWaitedForAnew() {
    var rig = live(.seconds(30))
    for _ in 0..<50 {
      rig.wait(.seconds(12))
      rig.receive(.failed(rig.id, brokeOff(at: 12)))
      #expect(rig.lastPause == .seconds(1))
      rig.wait(.seconds(1))
      rig.wakeUp()
      rig.start()
    }
    #expect(rig.shown == .playing)
  }

  // MARK: Pauses that last

  @Test func aLongPauseLetsGo() {
    var rig = rig(PlayerConfiguration(pauseRelease: .seconds(60)))
    rig.playlist(.pause)
    rig.receive(.paused(rig.id, position: .seconds(20)))
    let wake = rig.lastWake
    rig.wait(.seconds(60))
    if let wake { rig.wakeUp(wake) }
    #expect(rig.requests == [.stop, .release])
    #expect(rig.state.phase == .paused)
    #expect(rig.position == .seconds(20))
    let counted = rig.state.counters
    rig.playlist(.play)
    #expect(rig.requests.first == .start(rig.id, a, position: .seconds(20), paused: false))
    rig.start()
    #expect(rig.state.counters.trackCount == counted.trackCount)
  }

  @Test func manyPausesAskForOneCall() {
    var rig = rig(PlayerConfiguration(pauseRelease: .seconds(60)))
    rig.playlist(.pause)
    let first = rig.lastWake
    for _ in 0..<10 {
      rig.wait(.seconds(5))
      rig.playlist(.play)
      rig.playlist(.pause)
      #expect(rig.lastWake == first)
    }
    rig.wait(.seconds(10))
    if let first { rig.wakeUp(first) }
    #expect(rig.requests.isEmpty, "this pause is ten seconds old")
    #expect(rig.lastWake != first)
    rig.wait(.seconds(50))
    rig.wakeUp()
    #expect(rig.requests == [.stop, .release])
  }
}
