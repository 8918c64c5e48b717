import Testing

@testable import Player

/// Edits of several tracks at once.
@Suite struct PlaylistBulkTests {
  @Test func movedTracksKeepTheirIDsAndWhatPlaysPlaysOn() {
    var rig = Rig.playing(2, of: 5)
    let before = rig.id
    rig.playlist(.move([4, 2], after: 0))
    #expect(rig.ids == [4, 2, 1, 3, 5])
    #expect(rig.currentID == 2)
    #expect(rig.id == before)
    #expect(rig.state.nextTrack == .numbered(1), "what follows is the new neighbour")
    rig.playlist(.move([2], after: 5))
    #expect(rig.ids == [4, 1, 3, 5, 2])
    #expect(rig.state.nextTrack == nil)
    #expect(rig.phase == .playing)
  }

  @Test func movesThatCantBeAreRefusedWhole() {
    var rig = Rig.withPlaylist(3)
    let token = rig.state.playlist.token
    for (ids, after) in [([1, 9], 0), ([1, 1], 0), ([1], 1), ([1], 9)] as [([UInt32], UInt32)] {
      #expect(throws: PlayerError.idNotFound) { try rig.attempt(.playlist(.move(ids, after: after))) }
    }
    rig.playlist(.move([2], after: 1))
    #expect(rig.ids == [1, 2, 3])
    #expect(rig.state.playlist.token == token, "nothing has changed")
  }

  @Test func movingLeavesTheRandomOrderAlone() {
    var rig = Rig.withPlaylist(6)
    rig.playlist(.setShuffle(true), .playID(3))
    let order = rig.state.playlist.order
    rig.playlist(.move([6, 5], after: 0))
    #expect(rig.ids == [6, 5, 1, 2, 3, 4])
    #expect(rig.state.playlist.order == order)
    #expect(rig.currentID == 3)
  }

  @Test func severalAreInsertedAsFarAsThereIsRoom() {
    var rig = Rig.withPlaylist(2, configuration: PlayerConfiguration(tracksMax: 4))
    rig.playlist(.insertEach(after: 1, [a, b, c]))
    #expect(rig.ids == [1, 3, 4, 2])
    #expect(throws: PlayerError.playlistFull) { try rig.attempt(.playlist(.insertEach(after: 0, [a]))) }
    #expect(throws: PlayerError.idNotFound) { try rig.attempt(.playlist(.insertEach(after: 9, [a]))) }
    var empty = Rig.withPlaylist(0)
    empty.playlist(.insertEach(after: 0, [a, b]))
    #expect(empty.currentID == 1)
    #expect(empty.phase == .stopped)
  }

  @Test func deletingWhatPlaysGoesOnWithTheNextThatIsLeft() {
    var rig = Rig.playing(2, of: 5)
    rig.playlist(.deleteEach([2, 3, 1]))
    #expect(rig.ids == [4, 5])
    #expect(rig.currentID == 4)
    #expect(rig.phase == .buffering)
    rig.start()
    rig.playlist(.deleteEach([5, 4]))
    #expect(rig.ids.isEmpty)
    #expect(rig.phase == .stopped)
  }

  @Test func deletingTheLastStopsAtTheFirst() {
    var rig = Rig.playing(4, of: 4)
    rig.playlist(.deleteEach([3, 4]))
    #expect(rig.currentID == 1)
    #expect(rig.phase == .stopped)
    var repeating = Rig.playing(4, of: 4)
    repeating.playlist(.setRepeat(true), .deleteEach([3, 4]))
    #expect(repeating.currentID == 1)
    #expect(repeating.phase == .buffering)
  }

  @Test func deletingIsAllOrNothing() {
    var rig = Rig.withPlaylist(3)
    #expect(throws: PlayerError.idNotFound) { try rig.attempt(.playlist(.deleteEach([1, 9]))) }
    #expect(rig.ids == [1, 2, 3])
  }

  @Test(arguments: [false, true]) func anEarlierListComesBack(isShuffling: Bool) {
    var rig = Rig.withPlaylist(5)
    rig.playlist(.setShuffle(isShuffling), .playID(2))
    rig.start()
    let (tracks, id) = (rig.state.playlist.tracks, rig.id)
    rig.playlist(.deleteEach([1, 4]), .insertEach(after: 0, [a]), .restore(tracks, current: 2))
    #expect(rig.ids == [1, 2, 3, 4, 5])
    #expect(Set(rig.state.playlist.order) == [1, 2, 3, 4, 5])
    #expect(rig.currentID == 2)
    #expect(rig.id == id, "what plays plays on")
    rig.playlist(.insert(after: 0, b))
    #expect(rig.newID == 7, "no id is given twice")
  }

  @Test func aClearedListComesBackAtItsTrack() {
    var rig = Rig.playing(3, of: 4)
    let tracks = rig.state.playlist.tracks
    rig.playlist(.deleteAll, .restore(tracks, current: 3))
    #expect(rig.ids == [1, 2, 3, 4])
    #expect(rig.currentID == 3)
    #expect(rig.phase == .stopped)
  }

  @Test func aPositionCanBeSetWithoutStarting() {
    var rig = Rig.playing(1, of: 2)
    rig.receive(.duration(rig.id, .seconds(100)), .seekable(rig.id, true))
    rig.perform(.transport(.pause), .transport(.go(to: .seconds(30))))
    #expect(rig.state.phase == .paused)
    #expect(rig.requests.contains(.seek(rig.id, .seconds(30))))
    #expect(throws: PlayerError.seekFailed) { try rig.attempt(.transport(.go(to: .seconds(101)))) }
    rig.receive(.seekable(rig.id, false))
    #expect(throws: PlayerError.seekFailed) { try rig.attempt(.transport(.go(to: .seconds(3)))) }
    rig.perform(.setStandby(true))
    #expect(throws: PlayerError.seekFailed) { try rig.attempt(.transport(.go(to: .zero))) }
  }

  @Test func whatIsPossibleIsOffered() {
    var rig = Rig.withPlaylist(0)
    #expect(rig.state.activeActions == [])
    rig = Rig.playing(2, of: 3)
    #expect(rig.state.activeActions == [.pause, .stop, .seek, .next, .previous])
    rig.receive(.seekable(rig.id, false))
    #expect(!rig.state.activeActions.contains(.seek))
    rig.perform(.setStandby(true))
    #expect(rig.state.activeActions == [])
    #expect(Rig.onAir().state.activeActions == [.stop])
  }
}
