import Testing

@testable import Player

/// The source that a cast took over from gets the transport back.
@Suite struct CastOverTests {
  static func over(_ source: SourceKind) -> Rig {
    var rig = Rig.withPlaylist(2)
    rig.perform(.setSource(source), .av(.setMedia(a)), .av(.play))
    rig.start()
    return rig
  }

  @Test(arguments: [SourceKind.playlist, .radio]) func theSourceReturns(_ source: SourceKind) {
    for end in [OutputEvent.ended(PlayID(0)), .failed(PlayID(0), broken), nil] {
      var rig = Self.over(source)
      #expect(rig.state.activeSource == .upnpAV)
      rig.receive(.duration(rig.id, .seconds(9)))
      switch end {
      case .ended: rig.receive(.ended(rig.id))
      case .failed: rig.receive(.failed(rig.id, broken))
      default: rig.av(.stop)
      }
      #expect(rig.state.activeSource == .upnpAV, "who casts track by track goes on soon")
      let shown = rig.state.avFailure
      rig.wait(.seconds(5))
      rig.wakeUp()
      #expect(rig.state.activeSource == source)
      #expect(rig.requests.isEmpty)
      #expect(rig.shown == .stopped, "the cast is shown as it was")
      #expect(rig.state.avMedia == a)
      #expect(rig.state.avFailure == shown)
      #expect(rig.state.avDuration == .seconds(9))
      #expect(rig.state.failure == nil)
      expectHonestActions(rig)
      rig.av(.play)
      #expect(rig.state.activeSource == .upnpAV)
      #expect(rig.requests == [.start(rig.id, a, position: .zero, paused: false)])
    }
  }

  @Test func aCastTrackByTrackKeepsTheSource() {
    var rig = Self.over(.playlist)
    for track in [b, c, a] {
      rig.av(.stop)
      rig.wait(.seconds(4))
      rig.av(.setMedia(track), .play)
      rig.start()
      rig.wait(.seconds(2))
      rig.wakeUp()
      #expect(rig.shown == .playing)
    }
    rig.av(.stop)
    rig.wait(.seconds(1))
    rig.wakeUp()
    #expect(rig.state.activeSource == .upnpAV)
    rig.wait(.seconds(4))
    rig.wakeUp()
    #expect(rig.state.activeSource == .playlist)
  }

  @Test func aPauseIsNoEnd() {
    var rig = Self.over(.playlist)
    rig.av(.pause)
    rig.receive(.paused(rig.id, position: .seconds(3)))
    rig.wait(.seconds(10))
    rig.wakeUp()
    #expect(rig.shown == .pausedPlayback)
    #expect(rig.state.activeSource == .upnpAV)
  }

  @Test func theSourceStaysWhereItWasChosenByName() {
    for choose in [Command.setSource(.upnpAV), .setSource(.radio)] {
      var rig = Self.over(.playlist)
      rig.perform(.av(.stop), choose)
      let source = rig.state.activeSource
      rig.wait(.seconds(5))
      rig.wakeUp()
      #expect(rig.state.activeSource == source)
      #expect(rig.state.snapshot.player.activeSource == source)
    }
  }

  @Test func noCastSurvivesARestart() {
    let rig = Self.over(.radio)
    #expect(rig.state.activeSource == .upnpAV)
    #expect(Rig(snapshot: rig.state.snapshot).state.activeSource == .radio)
  }

  @Test func standbyEndsACast() {
    var rig = Self.over(.playlist)
    rig.perform(.setStandby(true), .setStandby(false))
    #expect(rig.state.activeSource == .playlist)
  }

  /// A control point that goes on with its next track whenever it reads STOPPED would wake up what was just put to sleep.
  @Test func standbyTellsNoCastOfAnEnd() {
    for isPaused in [false, true] {
      var rig = Self.over(.playlist)
      if isPaused { rig.av(.pause) }
      rig.perform(.setStandby(true))
      #expect(rig.shown == .noMediaPresent)
      #expect(rig.state.avMedia == nil)
      rig.perform(.setStandby(false))
      #expect(rig.shown == .noMediaPresent)
      rig.av(.setMedia(b), .play)
      #expect(rig.shown == .transitioning)
      #expect(rig.state.avMedia == b)
    }
  }

  /// UPnP AV is still the source: Play resumes the cast.
  @Test func aCastIsResumedAfterStandby() {
    var rig = Rig()
    rig.perform(.setSource(.upnpAV), .av(.setMedia(a)), .av(.play))
    rig.start()
    rig.perform(.setStandby(true))
    #expect(rig.shown == .noMediaPresent)
    #expect(rig.state.availableActions == [.play])
    rig.perform(.setStandby(false), .av(.play))
    #expect(rig.shown == .transitioning)
    #expect(rig.state.avMedia == a)
  }

  /// One that has stopped before, or only waits, can still be played.
  @Test func standbyLeavesACastThatIsSilent() {
    var rig = Self.over(.playlist)
    rig.perform(.av(.stop), .setStandby(true))
    #expect(rig.shown == .stopped)
    rig.av(.play)
    #expect(rig.shown == .transitioning)
    #expect(!rig.state.isStandby)
  }

  /// OpenHome's Play goes on with a cast that standby has ended.
  @Test func aCastThatPlaysIsShown() {
    var rig = Rig()
    rig.perform(.setSource(.upnpAV), .av(.setMedia(a)), .av(.play))
    rig.start()
    rig.perform(.setStandby(true), .transport(.play))
    #expect(rig.shown == .transitioning)
    #expect(rig.state.avMedia == a)
  }

  @Test func oneWakeUpIsOutstanding() {
    var rig = Self.over(.playlist)
    rig.lastWake = nil
    rig.av(.stop)
    let wake = rig.lastWake
    #expect(wake != nil)
    for _ in 0..<10 { rig.av(.play, .stop) }
    #expect(rig.lastWake == wake)
  }
}
