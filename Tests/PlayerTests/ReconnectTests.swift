import Testing

@testable import Player

@Suite struct ReconnectTests {
  private func waited(_ rig: Rig) -> Duration? {
    for case .lost(_, _, _, let after) in rig.reports { return after }
    return nil
  }

  @Test(arguments: [OutputEvent.ended(PlayID(0)), .failed(PlayID(0), dropped)]) func aDroppedStreamComesBack(
    event: OutputEvent
  ) {
    var rig = Rig.onAir()
    rig.wait(.seconds(60))
    if case .ended = event { rig.receive(.ended(rig.id)) } else { rig.receive(.failed(rig.id, dropped)) }
    #expect(rig.state.phase == .buffering)
    #expect(rig.requestNames == ["stop"])
    #expect(waited(rig) == .seconds(1))
    #expect(rig.state.failure == nil)
    rig.wakeUp()
    #expect(rig.requests == [.start(rig.id, .station, position: .zero, paused: false)])
    rig.start()
    #expect(rig.state.phase == .playing)
  }

  @Test func waitsLongerEachTimeAndGivesUp() {
    var rig = Rig.onAir(configuration: PlayerConfiguration(reconnectAttempts: 7))
    var waits: [Duration] = []
    for _ in 0..<7 {
      rig.receive(.failed(rig.id, dropped))
      if let time = waited(rig) { waits.append(time) }
      rig.wakeUp()
    }
    #expect(waits == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
    rig.receive(.failed(rig.id, dropped))
    #expect(rig.state.phase == .stopped)
    #expect(rig.state.failure == dropped)
    #expect(rig.reports == [.failed(.station, dropped)])
  }

  @Test func soundThatLastsStartsTheCountAnew() {
    var rig = Rig.onAir(configuration: PlayerConfiguration(reconnectAttempts: 2))
    for _ in 0..<5 {
      rig.wait(BackOff.steady)
      rig.receive(.failed(rig.id, dropped))
      #expect(waited(rig) == .seconds(1))
      rig.wakeUp()
      rig.start()
    }
    #expect(rig.state.phase == .playing)
  }

  /// The server answers each time and breaks off, or falls silent, after a moment of sound.
  @Test(arguments: [Duration.zero, .seconds(10)]) func aMomentOfSoundIsNoReturn(silence: Duration) {
    var rig = Rig.onAir(configuration: PlayerConfiguration(reconnectAttempts: 6))
    var waits: [Duration] = []
    for _ in 0..<20 {
      rig.wait(.milliseconds(100))
      if silence > .zero {
        rig.receive(.buffering(rig.id))
        rig.wait(silence)
      }
      rig.receive(.failed(rig.id, dropped))
      guard let time = waited(rig) else { break }
      waits.append(time)
      rig.wait(time)
      rig.wakeUp()
      rig.start()
    }
    #expect(waits == [1, 2, 4, 8, 16, 30].map { .seconds($0) })
    #expect(rig.state.phase == .stopped)
    #expect(rig.state.failure == dropped)
    #expect(rig.reports == [.failed(.station, dropped)])
  }

  @Test func aStationThatWasNeverHeardIsNotWaitedFor() {
    var rig = Rig()
    rig.radio(.setChannel(.station), .play)
    rig.receive(.failed(rig.id, dropped))
    #expect(rig.state.phase == .stopped)
    #expect(rig.state.failure == dropped)
    #expect(rig.lastWake == nil)
  }

  /// Its sound was being gathered when the connection went; from then on the server says 503.
  @Test func aStationThatBreaksOffBeforeItIsHeardIsWaitedFor() {
    var rig = Rig(PlayerConfiguration(reconnectAttempts: 2))
    rig.radio(.setChannel(.station), .play)
    rig.receive(.details(rig.id, StreamDetails(sampleRate: 44100)))
    rig.receive(.failed(rig.id, dropped))
    #expect(rig.state.phase == .buffering)
    #expect(waited(rig) == .seconds(1))
    for seconds in [1, 2] {
      rig.wakeUp()
      #expect(rig.requests == [.start(rig.id, .station, position: .zero, paused: false)])
      rig.receive(.failed(rig.id, PlaybackFailure(.other, "503")))
      if seconds == 1 { #expect(waited(rig) == .seconds(2)) }
    }
    #expect(rig.state.phase == .stopped, "not for ever")
    #expect(rig.state.failure?.message == "503")
  }

  @Test(arguments: [PlaybackFailure.Kind.corrupt, .unsupportedFormat, .missingDecoder])
  func soundThatCanNotBePlayedIsNotWaitedFor(kind: PlaybackFailure.Kind) {
    var rig = Rig()
    rig.radio(.setChannel(.station), .play)
    rig.receive(.details(rig.id, StreamDetails(sampleRate: 44100)))
    rig.receive(.failed(rig.id, PlaybackFailure(kind, "no use")))
    #expect(rig.state.phase == .stopped)
    #expect(rig.lastWake == nil)
  }

  @Test func withoutASoundDeviceThereIsNoWaiting() {
    var rig = Rig.onAir()
    rig.receive(.failed(rig.id, PlaybackFailure(.device, "gone")))
    #expect(rig.state.phase == .stopped)
    #expect(rig.state.failure?.kind == .device)
  }

  @Test func lateCallsDoNothing() {
    var rig = Rig.onAir()
    rig.receive(.failed(rig.id, dropped))
    rig.radio(.stop)
    #expect(rig.requests.isEmpty, "the output has stopped already")
    #expect(rig.state.phase == .stopped)
    let before = rig.state
    rig.wakeUp()
    #expect(rig.state == before)
    rig = .onAir()
    rig.receive(.failed(rig.id, dropped))
    rig.radio(.play)
    let id = rig.id
    #expect(rig.requestNames == ["start"], "Play doesn't wait")
    rig.wakeUp()
    #expect(rig.id == id)
  }

  @Test(arguments: [
    Command.radio(.pause), .radio(.stop), .setStandby(true), .setSource(.playlist), .transport(.stop),
    .transport(.pause),
  ]) func endsTheWaiting(command: Command) {
    var rig = Rig.onAir()
    rig.receive(.failed(rig.id, dropped))
    rig.perform(command)
    #expect(rig.state.transport == .stopped)
  }

  @Test func aListIsReadAnewAndAllItsEntriesAreTried() {
    var rig = Rig()
    rig.radio(.setChannel(RadioTransportTests.list), .play)
    rig.answer(.entries(RadioTransportTests.entries))
    rig.start()
    for _ in 0..<3 { rig.receive(.failed(rig.id, dropped)) }
    #expect(waited(rig) == .seconds(1), "each had its turn")
    let before = rig.lastResolve
    rig.wakeUp()
    #expect(rig.lastResolve != before)
    #expect(rig.state.phase == .buffering)
    rig.answer(.failed(dropped))
    #expect(waited(rig) == .seconds(2), "a list that can't be read is waited for as well")
    rig.wakeUp()
    rig.answer(.entries([a, b]))
    #expect(rig.requests == [.start(rig.id, a, position: .zero, paused: false)])
    rig.receive(.failed(rig.id, dropped))
    #expect(rig.requests == [.start(rig.id, b, position: .zero, paused: false)], "each has its turn again")
  }

  @Test func onlyTheLatestCallCounts() {
    var rig = Rig.onAir()
    rig.receive(.failed(rig.id, dropped))
    let early = rig.lastWake
    rig.radio(.play)
    rig.start()
    rig.receive(.failed(rig.id, dropped))
    let before = rig.state
    if let early { rig.perform(.wake(early)) }
    #expect(early != nil && rig.state == before)
  }

  @Test func aRecordingGoesOnWhereItBroke() {
    var rig = Rig.onAir()
    rig.receive(.seekable(rig.id, true), .duration(rig.id, .seconds(100)))
    rig.wait(.seconds(30))
    rig.receive(.failed(rig.id, dropped))
    #expect(rig.position == .seconds(30))
    rig.wakeUp()
    #expect(rig.requests == [.start(rig.id, .station, position: .seconds(30), paused: false)])
    rig.start()
    rig.receive(.ended(rig.id))
    #expect(rig.state.phase == .stopped, "it has an end")
    #expect(rig.reports == [.finished(.station)])
  }

  @Test func aPausedRecordingThatBreaksOffStaysSilent() {
    var rig = Rig.onAir()
    rig.receive(.seekable(rig.id, true), .duration(rig.id, .seconds(100)))
    rig.radio(.pause)
    rig.receive(.failed(rig.id, dropped))
    #expect(rig.state.phase == .stopped)
  }
}
