import Testing

@testable import Player

@Suite struct StreamCountersTests {
  private func counts(_ rig: Rig) -> [UInt32] {
    let counters = rig.state.counters
    return [counters.trackCount, counters.detailsCount, counters.metatextCount]
  }

  @Test func aTrackCountsWhenItIsShownAndEachTimeItBegins() {
    var rig = Rig.withPlaylist(0)
    #expect(counts(rig) == [0, 0, 0])
    rig.playlist(.insert(after: 0, a), .insert(after: 1, b))
    #expect(counts(rig) == [1, 0, 0])
    #expect(rig.state.streamID == 0)
    rig.playlist(.play)
    #expect(counts(rig) == [1, 0, 0], "the one that was shown")
    let stream = rig.state.streamID
    #expect(stream != 0)
    rig.start()
    rig.playlist(.play)
    #expect(counts(rig)[0] == 2)
    #expect(rig.state.streamID != stream)
    rig.start()
    rig.receive(.started(rig.nextID))
    #expect(counts(rig)[0] == 3)
    rig.playlist(.deleteAll)
    #expect(counts(rig) == [4, 0, 0])
    #expect(rig.state.streamID == 0)
  }

  @Test func detailsCountWithinTheirStream() {
    var rig = Rig.playing(1, of: 2)
    let before = counts(rig)[0]
    rig.receive(.details(rig.id, StreamDetails(codecName: "FLAC")))
    rig.receive(.duration(rig.id, .seconds(9)))
    #expect(counts(rig) == [before, 2, 0])
    rig.receive(.duration(rig.id, .seconds(9)))
    #expect(counts(rig) == [before, 2, 0], "nothing new")
    rig.receive(.details(rig.nextID, StreamDetails(codecName: "MP3")))
    #expect(counts(rig) == [before, 2, 0])
    rig.receive(.started(rig.nextID))
    #expect(counts(rig) == [before + 1, 1, 0], "known before it began")
  }

  @Test func metatextIsWhatAStationSays() {
    var rig = Rig.onAir()
    let before = counts(rig)
    rig.receive(.tags(rig.id, StreamTags(station: "Radio")))
    #expect(rig.state.metatext == nil)
    rig.receive(.tags(rig.id, StreamTags(title: "Song", station: "Radio")))
    #expect(rig.state.metatext?.title == "Song")
    #expect(counts(rig) == [before[0], before[1], 1])
    rig.receive(.tags(rig.id, StreamTags(title: "Song", station: "Radio")))
    #expect(counts(rig)[2] == 1)
    rig.radio(.play)
    #expect(counts(rig)[2] == 0)
    #expect(rig.state.metatext == nil)
    var file = Rig.playing(1, of: 1)
    file.receive(.seekable(file.id, true), .tags(file.id, StreamTags(title: "Song")))
    #expect(file.state.metatext == nil)
    #expect(counts(file)[2] == 0)
  }

  @Test func metatextKnownAheadCountsWhenItsTrackBegins() {
    var rig = Rig.playing(1, of: 2)
    rig.receive(.seekable(rig.nextID, false), .tags(rig.nextID, StreamTags(title: "Song")))
    #expect(counts(rig)[2] == 0)
    rig.receive(.started(rig.nextID))
    #expect(rig.state.metatext?.title == "Song")
    #expect(counts(rig)[2] == 1)
  }

  @Test func anotherSourceIsAnotherTrack() {
    var rig = Rig.playing(1, of: 1)
    rig.receive(.details(rig.id, StreamDetails(codecName: "FLAC")))
    let before = counts(rig)[0]
    rig.perform(.setSource(.radio))
    #expect(counts(rig) == [before + 1, 0, 0])
    #expect(!rig.state.canSeek && !rig.state.canPause)
  }

  @Test func nothingElseCounts() {
    var rig = Rig.playing(1, of: 2)
    let before = counts(rig)
    rig.playlist(.pause, .play, .insert(after: 2, a), .setRepeat(true), .delete(2), .seek(to: .seconds(1)))
    rig.perform(.setVolume(.master, 3))
    #expect(rig.phase == .playing)
    #expect(counts(rig) == [before[0], before[1], before[2]])
    rig.playlist(.stop)
    #expect(counts(rig) == before)
  }

  @Test func whatCanBeDone() {
    var rig = Rig.withPlaylist(1)
    #expect(rig.state.canSkipNext && rig.state.canSkipPrevious && rig.state.canRepeat && rig.state.canShuffle)
    #expect(!rig.state.canPause && !rig.state.canSeek)
    rig.playlist(.play)
    #expect(rig.state.canPause && !rig.state.canSeek)
    rig.receive(.seekable(rig.id, true))
    #expect(rig.state.canSeek)
    rig.playlist(.stop)
    #expect(!rig.state.canPause && !rig.state.canSeek)
    rig = .onAir()
    #expect(!rig.state.canSkipNext && !rig.state.canRepeat && !rig.state.canShuffle && !rig.state.canPause)
  }
}
