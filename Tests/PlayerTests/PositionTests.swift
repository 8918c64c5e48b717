import Testing

@testable import Player

@Suite struct PositionTests {
  @Test func runsWhilePlayingAndFreezesOtherwise() {
    var rig = Rig.playing()
    rig.wait(.seconds(3))
    #expect(rig.position == .seconds(3))
    rig.av(.pause)
    rig.wait(.seconds(60))
    #expect(rig.position == .seconds(3))
    rig.receive(.paused(rig.id, position: .milliseconds(2990)))
    #expect(rig.position == .milliseconds(2990))
    rig.av(.play)
    rig.wait(.seconds(1))
    #expect(rig.position == .milliseconds(3990))
    rig.receive(.buffering(rig.id))
    rig.wait(.seconds(7))
    #expect(rig.position == .milliseconds(3990))
    rig.receive(.playing(rig.id, position: .seconds(4)))
    rig.wait(.seconds(1))
    #expect(rig.position == .seconds(5))
    rig.av(.stop)
    #expect(rig.position == .zero)
  }

  @Test func staysWithinTheTrack() {
    var rig = Rig.playing()
    rig.receive(.duration(rig.id, .seconds(10)))
    rig.wait(.seconds(11))
    #expect(rig.position == .seconds(10))
    // A clock that went back (it must not, but then nothing breaks).
    rig.now = PlayerInstant(nanoseconds: 0)
    #expect(rig.position == .zero)
  }

  @Test func loadingStandsStill() {
    var rig = Situation.loading.rig
    rig.wait(.seconds(5))
    #expect(rig.position == .zero)
  }

  @Test func seekIsShownAtOnceAndCorrectedLater() {
    var rig = Rig.playing()
    rig.av(.seek(to: .seconds(30)))
    #expect(rig.requests == [.seek(rig.id, .seconds(30))])
    #expect(rig.position == .seconds(30))
    #expect(rig.shown == .playing, "a short seek doesn't flash")
    rig.receive(.buffering(rig.id))
    #expect(rig.shown == .transitioning)
    rig.receive(.playing(rig.id, position: .milliseconds(29_950)))
    #expect(rig.position == .milliseconds(29_950))
  }

  @Test func seekWhilePausedStaysPaused() {
    var rig = Situation.paused.rig
    rig.av(.seek(to: .seconds(30)))
    rig.receive(.buffering(rig.id))
    #expect(rig.shown == .pausedPlayback)
    rig.receive(.paused(rig.id, position: .seconds(30)))
    rig.wait(.seconds(2))
    #expect(rig.position == .seconds(30))
    #expect(rig.shown == .pausedPlayback)
  }

  @Test func seekWhileStoppedIsWhereThePlayBegins() {
    var rig = Situation.stopped.rig
    rig.av(.seek(to: .seconds(30)))
    #expect(rig.state.avPosition(at: rig.now) == .seconds(30))
    rig.av(.play)
    #expect(rig.requests == [.start(rig.id, a, position: .seconds(30), paused: false)])
    rig.receive(.started(rig.id))
    rig.wait(.seconds(1))
    #expect(rig.position == .seconds(31))
  }

  @Test func seekWhileLoadingBeginsThere() {
    var rig = Situation.loading.rig
    let first = rig.id
    rig.av(.seek(to: .seconds(30)))
    #expect(rig.id > first)
    #expect(rig.requests == [.start(rig.id, a, position: .seconds(30), paused: false)])
    #expect(rig.shown == .transitioning)
  }

  @Test func illegalTargets() {
    var rig = Rig.playing()
    rig.receive(.duration(rig.id, .seconds(10)))
    #expect(throws: PlayerError.illegalSeekTarget) { try rig.attempt(.av(.seek(to: .seconds(11)))) }
    #expect(throws: PlayerError.illegalSeekTarget) { try rig.attempt(.av(.seek(to: .seconds(-1)))) }
    #expect(throws: PlayerError.illegalSeekTarget) { try rig.attempt(.av(.seekTrack(0))) }
    #expect(throws: PlayerError.illegalSeekTarget) { try rig.attempt(.av(.seekTrack(2))) }
    rig.av(.seek(to: .seconds(10)))
    #expect(rig.position == .seconds(10))
    rig.receive(.seekable(rig.id, false))
    #expect(throws: PlayerError.illegalSeekTarget) { try rig.attempt(.av(.seek(to: .seconds(1)))) }
  }

  @Test func beginningAtTheVeryEndIsNoFailure() {
    var rig = Rig.playing()
    rig.receive(.duration(rig.id, .seconds(10)))
    rig.av(.stop, .seek(to: .seconds(10)), .play)
    rig.receive(.ended(rig.id))
    #expect(rig.shown == .stopped)
    #expect(rig.state.failure == nil)
  }

  @Test func unboundedTargetsAreRefused() {
    var rig = Rig.playing()
    #expect(throws: PlayerError.illegalSeekTarget) { try rig.attempt(.av(.seek(to: .seconds(Int64.max)))) }
  }
}
