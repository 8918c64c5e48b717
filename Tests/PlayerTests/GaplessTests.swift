import Testing

@testable import Player

@Suite struct GaplessTests {
  @Test func theNextTrackIsHandedToTheOutputAtOnce() {
    var rig = Rig.playing()
    rig.av(.setNextMedia(b))
    #expect(rig.requests == [.setNext(NextTrack(id: rig.nextID, media: b))])
    rig.av(.setNextMedia(c))
    #expect(rig.requests == [.setNext(NextTrack(id: rig.nextID, media: c))])
    rig.av(.setNextMedia(nil))
    #expect(rig.requests == [.setNext(nil)])
    rig.av(.setNextMedia(nil))
    #expect(rig.requests.isEmpty)
  }

  @Test func takeoverMovesNextToCurrent() {
    var rig = Rig.playing()
    rig.av(.setNextMedia(b))
    let next = rig.nextID
    rig.receive(.duration(next, .seconds(60)), .tags(next, StreamTags(title: "B")))
    #expect(rig.state.facts == TrackFacts(), "nothing of the next track shows early")
    rig.wait(.seconds(20))
    rig.receive(.started(next))
    #expect(rig.shown == .playing)
    #expect(rig.id == next)
    #expect(rig.state.av.media == b)
    #expect(rig.state.av.nextMedia == nil)
    #expect(rig.state.duration == .seconds(60))
    #expect(rig.state.facts.tags?.title == "B")
    #expect(rig.position == .zero)
    #expect(rig.requests.isEmpty, "the output is there already")
    #expect(rig.reports == [.started(b, gapless: true)])
    rig.receive(.ended(next))
    #expect(rig.shown == .stopped)
  }

  @Test func nextSetWhileStoppedIsOfferedOnPlay() {
    var rig = Situation.stopped.rig
    rig.av(.setNextMedia(b))
    #expect(rig.requests.isEmpty)
    rig.av(.play)
    #expect(rig.requestNames == ["start", "setNext"])
    #expect(rig.nextID > rig.id)
  }

  @Test func newMediaClearNext() {
    var rig = Rig.playing()
    rig.av(.setNextMedia(b), .setMedia(c))
    #expect(rig.state.av.nextMedia == nil)
    #expect(rig.requestNames == ["start"])
  }

  /// Stop takes nothing back of what was set: Play goes on with both.
  @Test func nextOutlivesStop() {
    var rig = Rig.playing()
    rig.av(.setNextMedia(b), .stop)
    #expect(rig.state.av.nextMedia == b)
    #expect(rig.shown == .stopped)
    rig.av(.play)
    #expect(rig.requestNames == ["start", "setNext"])
    rig.receive(.started(rig.id), .playing(rig.id, position: .zero), .started(rig.nextID))
    #expect(rig.state.av.media == b)
    #expect(rig.state.av.nextMedia == nil)
  }

  @Test func aNextSetTooLateIsPlayedAfterTheEnd() {
    var rig = Rig.playing()
    rig.av(.setNextMedia(b))
    rig.receive(.ended(rig.id))
    #expect(rig.requestNames == ["start"])
    #expect(rig.state.av.media == b)
    #expect(rig.shown == .transitioning)
  }

  @Test func aNextWithdrawnTooLateIsNotPlayed() {
    var rig = Rig.playing()
    rig.av(.setNextMedia(b))
    let withdrawn = rig.nextID
    rig.av(.setNextMedia(c))
    rig.receive(.started(withdrawn))
    #expect(rig.requests == [.start(rig.id, c, position: .zero, paused: false)])
    #expect(rig.state.av.media == c)
  }

  @Test func aNextClearedTooLateStops() {
    var rig = Rig.playing()
    rig.av(.setNextMedia(b))
    let withdrawn = rig.nextID
    rig.av(.setNextMedia(nil))
    rig.receive(.started(withdrawn))
    #expect(rig.requestNames == ["stop"])
    #expect(rig.shown == .stopped)
    #expect(rig.state.av.media == a)
  }

  @Test func aNextThatFailsShowsAtTheEnd() {
    var rig = Rig.playing()
    rig.av(.setNextMedia(b))
    rig.receive(.failed(rig.nextID, broken))
    #expect(rig.shown == .playing)
    #expect(rig.state.failure == nil)
    #expect(rig.state.av.nextMedia == nil)
    #expect(rig.reports == [.skipped(b, broken)])
    rig.receive(.ended(rig.id))
    #expect(rig.shown == .stopped)
    #expect(rig.state.failure == broken)
    #expect(rig.state.av.media == a)
  }

  @Test func manyFailedNextsDontKeepAGoodOneAway() {
    var rig = Rig.playing()
    for _ in 0..<5 {
      rig.av(.setNextMedia(b))
      rig.receive(.failed(rig.nextID, broken))
    }
    rig.av(.setNextMedia(c))
    #expect(rig.requestNames == ["setNext"])
    rig.receive(.started(rig.nextID))
    #expect(rig.state.av.media == c)
    #expect(rig.state.failure == nil)
  }

  @Test func pauseJustBeforeTheTakeoverHolds() {
    var rig = Rig.playing()
    rig.av(.setNextMedia(b), .pause)
    let next = rig.nextID
    rig.receive(.started(next))
    #expect(rig.requests == [.pause(next)])
    #expect(rig.shown == .pausedPlayback)
    #expect(rig.state.av.media == b)
  }

  @Test func nextGoesToTheNextMedia() {
    var rig = Rig.playing()
    rig.av(.setNextMedia(b))
    #expect(rig.state.availableActions.contains(.next))
    rig.av(.next)
    #expect(rig.state.av.media == b)
    #expect(rig.state.av.nextMedia == nil)
    #expect(rig.requests == [.start(rig.id, b, position: .zero, paused: false)])
  }

  @Test func repeatOneOffersTheSameTrack() {
    var rig = Rig.playing()
    rig.av(.setPlayMode(.repeatOne), .setNextMedia(b))
    rig.receive(.duration(rig.id, .seconds(10)))
    #expect(rig.state.offer?.track.media == a)
    let next = rig.nextID
    rig.receive(.started(next))
    #expect(rig.id == next)
    #expect(rig.state.av.media == a)
    #expect(rig.state.av.nextMedia == b, "kept until the mode changes")
    #expect(rig.state.duration == .seconds(10))
    #expect(rig.requestNames == ["setNext"])
    rig.av(.setPlayMode(.normal))
    #expect(rig.state.offer?.track.media == b)
  }

  @Test func aRepeatedTrackThatFailsIsTriedAgainThenStops() {
    var rig = Rig.playing([a, b, c], mode: .repeatOne)
    for _ in 0..<2 { rig.receive(.failed(rig.nextID, broken)) }
    #expect(rig.state.offer?.track.media == a)
    rig.receive(.failed(rig.nextID, broken))
    #expect(rig.state.offer == nil)
    var moved = rig
    moved.perform(.av(.next))
    #expect(moved.state.currentTrack == b, "the other tracks aren't to blame")
    rig.receive(.ended(rig.id))
    #expect(rig.shown == .stopped)
    #expect(rig.state.failure == broken)
  }

  @Test func repeatAllOfASingleTrackRepeatsItUnlessAnotherFollows() {
    var rig = Rig.playing()
    rig.av(.setPlayMode(.repeatAll))
    #expect(rig.state.offer?.track.media == a)
    rig.av(.setNextMedia(b))
    #expect(rig.state.offer?.track.media == b)
    rig.receive(.started(rig.nextID))
    #expect(rig.state.offer?.track.media == b)
  }
}
