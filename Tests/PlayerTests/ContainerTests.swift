import Testing

@testable import Player

@Suite struct ContainerTests {
  static let list = Media.container("list")

  @Test func isResolvedWhenSetAndPlayedWhenKnown() {
    var rig = Rig()
    rig.av(.setMedia(Self.list))
    #expect(rig.lastResolve != nil)
    #expect(rig.shown == .stopped)
    rig.av(.play)
    #expect(rig.shown == .transitioning)
    #expect(rig.requests.isEmpty)
    rig.answer(.entries([a, b, c]))
    #expect(rig.requestNames == ["start", "setNext"])
    #expect(rig.state.av.numberOfTracks == 3)
    #expect(rig.state.av.trackNumber == 1)
    #expect(rig.state.av.media == Self.list)
    #expect(rig.state.currentTrack == a)
    #expect(rig.reports == [.opened(Self.list, tracks: 3, dropped: 0)])
  }

  @Test func playsThroughWithoutGapsThenTheNextMedia() {
    var rig = Rig.playing([a, b])
    rig.av(.setNextMedia(c))
    #expect(rig.state.offer?.track.media == b)
    rig.receive(.started(rig.nextID))
    #expect(rig.state.av.trackNumber == 2)
    #expect(rig.state.av.nextMedia == c)
    #expect(rig.state.offer?.track.media == c)
    rig.receive(.started(rig.nextID))
    #expect(rig.state.av.media == c)
    #expect(rig.state.av.numberOfTracks == 1)
    #expect(rig.state.av.nextMedia == nil)
  }

  @Test func afterTheLastTrackTheFirstIsCurrent() {
    var rig = Rig.playing([a, b])
    rig.receive(.started(rig.nextID))
    rig.receive(.ended(rig.id))
    #expect(rig.shown == .stopped)
    #expect(rig.state.av.trackNumber == 1)
    #expect(rig.state.failure == nil)
  }

  @Test func nextPreviousAndTrackNumbers() {
    var rig = Rig.playing([a, b, c])
    rig.av(.next)
    #expect(rig.state.currentTrack == b)
    rig.av(.seekTrack(3))
    #expect(rig.state.currentTrack == c)
    #expect(rig.requestNames == ["start"])
    #expect(throws: PlayerError.illegalSeekTarget) { try rig.attempt(.av(.next)) }
    #expect(throws: PlayerError.illegalSeekTarget) { try rig.attempt(.av(.seekTrack(4))) }
    rig.av(.previous, .previous)
    #expect(rig.state.currentTrack == a)
    #expect(throws: PlayerError.illegalSeekTarget) { try rig.attempt(.av(.previous)) }
    rig.av(.setPlayMode(.repeatAll), .previous)
    #expect(rig.state.currentTrack == c)
    rig.av(.next)
    #expect(rig.state.currentTrack == a)
  }

  @Test func movingKeepsStoppedStoppedAndPausedPaused() {
    var rig = Rig.playing([a, b, c])
    rig.start()
    rig.av(.pause)
    rig.receive(.paused(rig.id, position: .zero))
    rig.av(.next)
    #expect(rig.requests.first == .start(rig.id, b, position: .zero, paused: true))
    #expect(rig.shown == .pausedPlayback)
    rig.av(.stop, .next)
    #expect(rig.shown == .stopped)
    #expect(rig.requests.isEmpty)
    #expect(rig.state.currentTrack == c)
  }

  @Test func repeatAllWraps() {
    var rig = Rig.playing([a, b], mode: .repeatAll)
    rig.receive(.started(rig.nextID))
    #expect(rig.state.currentTrack == b)
    rig.receive(.started(rig.nextID))
    #expect(rig.state.currentTrack == a)
    #expect(rig.state.av.trackNumber == 1)
  }

  @Test func anHLSPlaylistIsATrack() {
    var rig = Rig()
    rig.av(.setMedia(Self.list), .play)
    rig.answer(.notAContainer)
    #expect(rig.requests == [.start(rig.id, Self.list, position: .zero, paused: false)])
    #expect(rig.state.av.numberOfTracks == 1)
  }

  @Test func whatCannotBeReadFailsWhenPlayed() {
    var rig = Rig()
    rig.av(.setMedia(Self.list))
    let first = rig.lastResolve
    rig.answer(.failed(broken))
    #expect(rig.state.failure == nil, "nobody has asked for it to play")
    rig.av(.play)
    #expect(rig.lastResolve != first, "Play tries again")
    #expect(rig.shown == .transitioning)
    rig.answer(.failed(broken))
    #expect(rig.shown == .stopped)
    #expect(rig.state.failure == broken)
  }

  @Test(arguments: [[], [Media(uri: "ftp://server/a")]]) func nothingPlayableIsAFailure(entries: [Media]) {
    var rig = Rig()
    rig.av(.setMedia(Self.list), .play)
    rig.answer(.entries(entries))
    #expect(rig.shown == .stopped)
    #expect(rig.state.failure != nil)
  }

  @Test func entriesAreCheckedAndBounded() {
    var rig = Rig(PlayerConfiguration(maximumEntries: 3))
    rig.av(.setMedia(Self.list))
    rig.answer(.entries([a, Media(uri: "javascript:x"), b, c, a, b]))
    #expect(rig.state.av.numberOfTracks == 3)
    #expect(rig.reports == [.opened(Self.list, tracks: 3, dropped: 3)])
  }

  @Test func staleAnswersFallThrough() throws {
    var rig = Rig()
    rig.av(.setMedia(Self.list))
    let stale = try #require(rig.lastResolve)
    rig.av(.setMedia(.container("other")), .play)
    let before = rig.state
    rig.answer(.entries([a]), of: stale)
    #expect(rig.state == before)
    rig.av(.setMedia(nil))
    rig.answer(.entries([a]))
    #expect(rig.shown == .noMediaPresent)
  }

  @Test func targetIsRememberedWhileResolving() {
    var rig = Situation.resolving.rig
    rig.av(.pause)
    #expect(rig.shown == .transitioning)
    rig.answer(.entries([a]))
    #expect(rig.requests == [.start(rig.id, a, position: .zero, paused: true)])
    rig = Situation.resolving.rig
    rig.av(.stop)
    rig.answer(.entries([a]))
    #expect(rig.requests.isEmpty)
    #expect(rig.shown == .stopped)
  }

  @Test func settingAContainerWhilePausedStaysPaused() {
    var rig = Situation.paused.rig
    rig.av(.setMedia(Self.list))
    #expect(rig.shown == .pausedPlayback)
    #expect(rig.requestNames == ["stop"])
    rig.answer(.entries([b]))
    #expect(rig.shown == .pausedPlayback)
    #expect(rig.requests == [.start(rig.id, b, position: .zero, paused: true)])
  }

  @Test func aNextContainerIsReadAhead() {
    var rig = Rig.playing()
    rig.av(.setNextMedia(Self.list))
    #expect(rig.requests.isEmpty)
    rig.answer(.entries([b, c]))
    #expect(rig.requests == [.setNext(NextTrack(id: rig.nextID, media: b))])
    rig.receive(.started(rig.nextID))
    #expect(rig.state.av.media == Self.list)
    #expect(rig.state.av.trackNumber == 1)
    #expect(rig.state.offer?.track.media == c)
  }

  @Test func aNextContainerThatIsLateIsWaitedFor() {
    var rig = Rig.playing()
    rig.av(.setNextMedia(Self.list))
    rig.receive(.ended(rig.id))
    #expect(rig.shown == .transitioning)
    rig.answer(.entries([b]))
    #expect(rig.requestNames == ["start"])
    rig.start()
    #expect(rig.shown == .playing)
  }

  @Test func aNextContainerThatFailsShowsAtTheEnd() {
    var rig = Rig.playing()
    rig.av(.setNextMedia(Self.list))
    rig.answer(.failed(broken))
    #expect(rig.state.av.nextMedia == nil)
    rig.receive(.ended(rig.id))
    #expect(rig.state.failure == broken)
  }

  // MARK: Broken entries

  @Test func aBrokenEntryIsSkipped() {
    var rig = Rig.playing([a, b, c])
    rig.av(.next)
    rig.receive(.failed(rig.id, broken))
    #expect(rig.state.currentTrack == c)
    #expect(rig.reports == [.skipped(b, broken)])
    rig.start()
    #expect(rig.state.failure == nil)
    rig.receive(.ended(rig.id))
    #expect(rig.state.failure == nil)
  }

  @Test func aBrokenNextEntryIsSkippedAhead() {
    var rig = Rig.playing([a, b, c])
    rig.receive(.failed(rig.nextID, broken))
    #expect(rig.state.offer?.track.media == c)
    rig.receive(.started(rig.nextID))
    #expect(rig.state.av.trackNumber == 3)
  }

  @Test func threeBrokenInARowStop() {
    let entries = (0..<6).map { Media.track("\($0)") }
    var rig = Rig.playing(entries)
    rig.av(.next)
    rig.receive(.failed(rig.id, broken))
    rig.receive(.failed(rig.id, broken))
    #expect(rig.shown == .transitioning)
    rig.receive(.failed(rig.id, broken))
    #expect(rig.shown == .stopped)
    #expect(rig.state.failure == broken)
    #expect(rig.state.currentTrack == entries[3])
  }

  @Test func threeBrokenAheadStopAtTheEnd() {
    var rig = Rig.playing((0..<6).map { Media.track("\($0)") })
    for _ in 0..<3 { rig.receive(.failed(rig.nextID, broken)) }
    #expect(rig.state.offer == nil)
    #expect(rig.shown == .playing)
    rig.av(.setNextMedia(nil))
    rig.receive(.ended(rig.id))
    #expect(rig.shown == .stopped)
    #expect(rig.state.failure == broken)
    #expect(rig.state.av.trackNumber == 4)
    #expect(rig.reports == [.gaveUp(tracks: 3)])
    rig.av(.play)
    rig.receive(.failed(rig.id, broken))
    rig.start()
    #expect(rig.state.av.trackNumber == 5 && rig.shown == .playing)
  }

  @Test func aGoodTrackBetweenStartsTheCountAnew() {
    var rig = Rig.playing((0..<8).map { Media.track("\($0)") })
    for _ in 0..<5 {
      rig.receive(.failed(rig.id, broken))
      rig.start()
      #expect(rig.shown == .playing)
    }
  }

  @Test func withoutASoundDeviceNothingIsSkipped() {
    var rig = Rig.playing([a, b, c])
    let failure = PlaybackFailure(.device, "busy")
    rig.receive(.failed(rig.id, failure))
    #expect(rig.shown == .stopped)
    #expect(rig.state.failure == failure)
    #expect(rig.state.currentTrack == a)
  }

  // MARK: Shuffle

  @Test(arguments: [2, 3, 17, 200], [0, 1, 99] as [UInt64]) func shufflePlaysEachOnce(
    count: Int, seed: UInt64
  ) {
    let entries = (0..<count).map { Media.track("\($0)") }
    var rig = Rig.playing(entries, mode: .shuffle, seed: seed)
    var heard = [rig.state.currentTrack]
    while let next = rig.state.offer?.track {
      rig.wait(TrackRateLimit.interval)
      rig.receive(.started(next.id))
      heard.append(rig.state.currentTrack)
      if heard.count > count { break }
    }
    #expect(heard.count == count)
    #expect(Set(heard).count == count)
    if count >= 17 { #expect(heard != entries, "in random order") }
  }

  @Test func shuffleWhilePlayingKeepsTheTrack() {
    let entries = (0..<50).map { Media.track("\($0)") }
    var rig = Rig.playing(entries)
    rig.av(.seekTrack(20))
    rig.start()
    let id = rig.id
    rig.av(.setPlayMode(.shuffle))
    #expect(rig.id == id)
    #expect(rig.state.av.trackNumber == 20)
    #expect(!rig.state.availableActions.contains(.previous), "all others follow")
    rig.av(.setPlayMode(.normal))
    #expect(rig.state.av.trackNumber == 20)
    #expect(rig.state.offer?.track.media == entries[20])
  }
}
