import Testing

@testable import Player

/// The table of transport actions of Playlist:1.
@Suite struct PlaylistTransportTests {
  // MARK: Play

  @Test func playStartsAndResumesAndRestarts() {
    var rig = Rig.withPlaylist(2)
    rig.playlist(.play)
    #expect(rig.requests.first == .start(rig.id, .numbered(1), position: .zero, paused: false))
    #expect(rig.phase == .buffering)
    let first = rig.id
    rig.playlist(.play)
    #expect(rig.id == first, "it starts already")
    rig.start()
    rig.playlist(.pause)
    #expect(rig.phase == .paused)
    rig.playlist(.play)
    #expect(rig.requestNames == ["resume"])
    rig.wait(.seconds(5))
    rig.playlist(.play)
    #expect(rig.requestNames == ["start", "setNext"])
    #expect(rig.id != first)
    #expect(rig.position == .zero)
  }

  @Test func playMakesThePlaylistActive() {
    var rig = Rig.playing()
    rig.playlist(.insert(after: 0, b), .play)
    #expect(rig.state.activeSource == .playlist)
    #expect(rig.requestNames == ["stop", "start"])
    #expect(rig.state.av.media == a, "and keeps its media")
  }

  @Test func playOnAnEmptyListIsStopped() {
    var rig = Rig.playing()
    rig.playlist(.play)
    #expect(rig.state.activeSource == .playlist)
    #expect(rig.phase == .stopped)
    #expect(rig.requestNames == ["stop"])
  }

  // MARK: Without effect while inactive

  @Test(arguments: [
    PlaylistCommand.pause, .stop, .next, .previous, .seek(to: .seconds(1)), .skip(by: .seconds(1)),
  ]) func isIgnoredWhenInactive(command: PlaylistCommand) {
    var rig = Rig.withPlaylist(3)
    rig.av(.setMedia(a), .play)
    rig.start()
    let before = rig.state
    rig.playlist(command)
    #expect(rig.state == before)
    rig = .withPlaylist(3)
    rig.perform(.setStandby(true))
    let asleep = rig.state
    rig.playlist(command)
    #expect(rig.state == asleep)
  }

  @Test(arguments: [PlaylistCommand.play, .playID(2), .playIndex(1)]) func wakesAndSwitches(
    command: PlaylistCommand
  ) {
    var rig = Rig.withPlaylist(3, active: false)
    rig.perform(.setStandby(true))
    rig.playlist(command)
    #expect(!rig.state.isStandby)
    #expect(rig.state.activeSource == .playlist)
    #expect(rig.phase == .buffering)
    #expect(rig.currentID == (command == .play ? 1 : 2))
  }

  // MARK: Moving

  @Test func nextAndPreviousPlayEvenWhenStopped() {
    var rig = Rig.withPlaylist(3)
    rig.playlist(.next)
    #expect(rig.requests.first == .start(rig.id, .numbered(2), position: .zero, paused: false))
    rig.start()
    rig.playlist(.pause, .previous)
    #expect(rig.currentID == 1)
    #expect(rig.requests.first == .start(rig.id, .numbered(1), position: .zero, paused: false))
  }

  @Test func theEndsWithoutRepeat() {
    var rig = Rig.playing(3, of: 3)
    rig.playlist(.next)
    #expect(rig.phase == .stopped)
    #expect(rig.currentID == 1)
    rig.playlist(.play)
    rig.start()
    rig.playlist(.previous)
    #expect(rig.phase == .stopped)
    #expect(rig.currentID == 1)
    #expect(rig.requestNames == ["stop"])
  }

  @Test func theEndsWithRepeat() {
    var rig = Rig.playing(3, of: 3)
    rig.playlist(.setRepeat(true), .next)
    #expect(rig.currentID == 1)
    #expect(rig.phase == .buffering)
    rig.playlist(.previous)
    #expect(rig.currentID == 3)
    #expect(rig.phase == .buffering)
  }

  @Test func stopRewindsAndKeepsTheTrack() {
    var rig = Rig.playing(2, of: 3)
    rig.wait(.seconds(9))
    rig.playlist(.stop)
    #expect(rig.currentID == 2)
    #expect(rig.position == .zero)
    #expect(rig.requestNames == ["stop"])
    rig.playlist(.play)
    #expect(rig.requests.first == .start(rig.id, .numbered(2), position: .zero, paused: false))
  }

  @Test func idAndIndexNameTracksWhateverTheOrder() {
    var rig = Rig.withPlaylist(30)
    rig.playlist(.setShuffle(true), .playIndex(17))
    #expect(rig.currentID == 18)
    rig.playlist(.playID(4))
    #expect(rig.currentID == 4)
    #expect(rig.requestNames.first == "start")
    rig.start()
    let id = rig.id
    rig.playlist(.playID(4))
    #expect(rig.id != id, "the same track starts again")
  }

  // MARK: Gapless

  @Test func theNextTrackFollowsWithoutAGap() {
    var rig = Rig.playing(1, of: 3)
    #expect(rig.state.offer?.track.media == .numbered(2))
    rig.receive(.started(rig.nextID))
    #expect(rig.currentID == 2)
    #expect(rig.reports == [.started(.numbered(2), gapless: true)])
    #expect(rig.requests == [.setNext(NextTrack(id: rig.nextID, media: .numbered(3)))])
    rig.receive(.started(rig.nextID))
    rig.receive(.ended(rig.id))
    #expect(rig.phase == .stopped)
    #expect(rig.currentID == 1)
  }

  @Test func editsBehindTheCurrentTrackReachTheOutput() {
    var rig = Rig.playing(1, of: 2)
    rig.playlist(.insert(after: 1, a))
    #expect(rig.requests == [.setNext(NextTrack(id: rig.nextID, media: a))])
    rig.playlist(.insert(after: 2, b))
    #expect(rig.requests.isEmpty)
    rig.playlist(.delete(3), .delete(2))
    #expect(rig.requests == [.setNext(NextTrack(id: rig.nextID, media: b))])
    rig.playlist(.delete(4))
    #expect(rig.requests == [.setNext(nil)])
    rig.playlist(.setRepeat(true))
    #expect(rig.requests == [.setNext(NextTrack(id: rig.nextID, media: .numbered(1)))])
  }

  @Test func insertingInFrontKeepsThePlace() {
    var rig = Rig.playing(2, of: 3)
    rig.playlist(.insert(after: 0, a), .insert(after: 1, b))
    #expect(rig.ids == [4, 1, 5, 2, 3])
    #expect(rig.currentID == 2)
    #expect(rig.state.follower == .numbered(3))
  }

  // MARK: Seeking

  @Test func seeksAndPlays() {
    var rig = Rig.playing(1, of: 1)
    rig.receive(.duration(rig.id, .seconds(100)))
    rig.wait(.seconds(10))
    rig.playlist(.seek(to: .seconds(50)))
    #expect(rig.requests == [.seek(rig.id, .seconds(50))])
    rig.playlist(.skip(by: .seconds(-20)))
    #expect(rig.requests == [.seek(rig.id, .seconds(30))])
    rig.playlist(.skip(by: .seconds(-31)))
    #expect(rig.requests == [.seek(rig.id, .zero)])
    rig.playlist(.skip(by: .seconds(1000)))
    #expect(rig.requests == [.seek(rig.id, .seconds(100))], "kept within the track")
    rig.playlist(.seek(to: .seconds(5)), .pause, .seek(to: .seconds(7)))
    #expect(rig.requests == [.seek(rig.id, .seconds(7)), .resume(rig.id)])
    #expect(rig.phase == .playing)
    rig.playlist(.pause, .skip(by: .zero))
    #expect(rig.requests == [.resume(rig.id)])
    rig.playlist(.stop, .seek(to: .seconds(20)))
    #expect(rig.requests.first == .start(rig.id, .numbered(1), position: .seconds(20), paused: false))
  }

  @Test func seekingWhereItCannot() {
    var rig = Rig.playing(1, of: 1)
    rig.receive(.duration(rig.id, .seconds(100)))
    #expect(throws: PlayerError.seekFailed) { try rig.attempt(.playlist(.seek(to: .seconds(101)))) }
    rig.receive(.seekable(rig.id, false))
    #expect(throws: PlayerError.seekFailed) { try rig.attempt(.playlist(.seek(to: .seconds(1)))) }
    #expect(throws: PlayerError.seekFailed) { try rig.attempt(.playlist(.skip(by: .seconds(1)))) }
    var empty = Rig.withPlaylist(0)
    #expect(throws: PlayerError.seekFailed) { try empty.attempt(.playlist(.seek(to: .seconds(1)))) }
  }

  @Test func aLiveStreamIsNotPaused() {
    var rig = Rig.playing(1, of: 1)
    rig.receive(.seekable(rig.id, false))
    rig.playlist(.pause)
    #expect(rig.phase == .playing)
    rig.receive(.duration(rig.id, .seconds(100)))
    rig.playlist(.pause)
    #expect(rig.phase == .paused, "it only can't be sought in")
  }

  // MARK: Broken tracks

  @Test func aBrokenTrackIsSkipped() {
    var rig = Rig.playing(1, of: 3)
    rig.playlist(.next)
    rig.receive(.failed(rig.id, broken))
    #expect(rig.currentID == 3)
    #expect(rig.reports == [.skipped(.numbered(2), broken)])
  }

  @Test func threeBrokenInARowStop() {
    var rig = Rig.playing(1, of: 9)
    rig.playlist(.next)
    for _ in 0..<3 { rig.receive(.failed(rig.id, broken)) }
    #expect(rig.phase == .stopped)
    #expect(rig.state.failure == broken)
    #expect(rig.currentID == 4)
    #expect(rig.reports == [.failed(.numbered(4), broken), .gaveUp(tracks: 3)])
  }

  /// Pressing Play alone leads past any number of broken tracks.
  @Test(arguments: [3, 4, 8]) func afterThreeBrokenAheadPlayGoesOnBehindThem(count: UInt32) {
    var rig = Rig.playing(1, of: Int(count) + 2)
    for _ in 0..<3 { rig.receive(.failed(rig.nextID, broken)) }
    rig.receive(.ended(rig.id))
    #expect(rig.phase == .stopped)
    #expect(rig.currentID == 4, "the one that the failure is about")
    #expect(rig.state.failure == broken)
    #expect(rig.state.facts == TrackFacts())
    #expect(rig.reports == [.gaveUp(tracks: 3)])
    var presses = 0
    while rig.currentID <= count + 1, presses < 9 {
      presses += 1
      rig.playlist(.play)
      for _ in 0..<3 where rig.phase != .stopped && rig.currentID <= count + 1 {
        rig.receive(.failed(rig.id, broken))
      }
    }
    rig.start()
    #expect(rig.phase == .playing && rig.currentID == count + 2)
    #expect(rig.state.failure == nil)
    #expect(presses <= Int(count) / 2)
  }

  @Test(arguments: [false, true]) func afterThreeBrokenAheadInTheNextRoundPlayGoesOn(isShuffling: Bool) {
    var rig = Rig.playing(9, of: 9)
    rig.playlist(.setShuffle(isShuffling), .setRepeat(true))
    if isShuffling { for _ in 0..<8 { rig.playlist(.next) } }
    rig.start()
    var failed: [Media] = []
    for _ in 0..<3 {
      if let next = rig.state.offer?.track.media { failed.append(next) }
      rig.receive(.failed(rig.nextID, broken))
    }
    rig.receive(.ended(rig.id))
    #expect(rig.phase == .stopped)
    #expect(failed.count == 3 && rig.state.currentTrack == failed.last)
    if !isShuffling { #expect(rig.currentID == 3) }
  }

  /// Nothing is left that Play could lead to: the list is over, and begins again.
  @Test func threeBrokenAtTheEndAreTheEnd() {
    var rig = Rig.playing(1, of: 4)
    for _ in 0..<3 { rig.receive(.failed(rig.nextID, broken)) }
    rig.receive(.ended(rig.id))
    #expect(rig.phase == .stopped)
    #expect(rig.reports == [.finished(.numbered(1))])
    #expect(rig.currentID == 1)
    #expect(rig.state.failure == broken)
  }

  @Test func allBrokenWithRepeatComesToRest() {
    var rig = Rig.withPlaylist(2)
    rig.playlist(.setRepeat(true), .play)
    for _ in 0..<3 { rig.receive(.failed(rig.id, broken)) }
    #expect(rig.phase == .stopped)
  }

  @Test func brokenAheadIsSkippedAheadAndForgottenByEdits() {
    var rig = Rig.playing(1, of: 9)
    rig.receive(.failed(rig.nextID, broken))
    rig.receive(.failed(rig.nextID, broken))
    #expect(rig.state.offer?.track.media == .numbered(4))
    rig.playlist(.insert(after: 9, a))
    #expect(rig.state.offer?.track.media == .numbered(4), "far behind: nothing is tried again")
    rig.playlist(.delete(2))
    #expect(rig.state.offer?.track.media == .numbered(3))
    for id: UInt32 in [4, 5] {
      rig.receive(.failed(rig.nextID, broken))
      #expect(rig.state.offer?.track.media == .numbered(id), "those before the edit don't count")
    }
    rig.receive(.failed(rig.nextID, broken))
    #expect(rig.state.offer == nil)
    rig.receive(.ended(rig.id))
    #expect(rig.phase == .stopped)
    #expect(rig.state.failure == broken)
  }

  @Test func aRefusedAddressIsSkippedWithoutTheOutput() {
    var rig = Rig.withPlaylist(1)
    rig.playlist(.insert(after: 1, Media(uri: "ftp://server/x")), .insert(after: 2, a), .play)
    #expect(rig.state.offer?.track.media == a)
    rig.playlist(.playID(2))
    #expect(rig.currentID == 3)
    #expect(rig.state.currentTrack == a)
    #expect(rig.requestNames == ["start"])
    rig = .withPlaylist(0)
    for _ in 0..<5 { rig.playlist(.insert(after: 0, Media(uri: "file:///etc/passwd"))) }
    rig.playlist(.play)
    #expect(rig.phase == .stopped)
    #expect(!rig.requestNames.contains("start"))
    #expect(rig.state.failure?.kind == .refusedURI)
  }
}
