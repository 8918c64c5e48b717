import Testing

@testable import Player

@Suite struct PlaylistEditingTests {
  @Test func insertsBehindTheTrackNamed() {
    var rig = Rig.withPlaylist(2)
    rig.playlist(.insert(after: 0, a), .insert(after: 1, b), .insert(after: 2, c))
    #expect(rig.ids == [3, 1, 4, 2, 5])
    #expect(rig.state.playlist.tracks[4] == b)
    #expect(rig.state.playlist.tracks.index(of: 2) == 3)
    #expect(rig.state.playlist.tracks.ids == rig.ids)
  }

  @Test func theFirstTrackBecomesCurrentAndIsNotPlayed() {
    var rig = Rig.withPlaylist(0)
    #expect(rig.currentID == 0)
    #expect(rig.state.currentTrack == nil)
    rig.playlist(.insert(after: 0, a))
    #expect(rig.currentID == 1)
    #expect(rig.state.currentTrack == a)
    #expect(rig.phase == .stopped)
    #expect(rig.requests.isEmpty)
    rig.playlist(.insert(after: 0, b))
    #expect(rig.currentID == 1, "the current track stays current")
  }

  @Test func insertingSwitchesNothing() {
    var rig = Rig.playing()
    let before = rig.id
    rig.playlist(.insert(after: 0, b))
    #expect(rig.state.activeSource == .upnpAV)
    #expect(rig.id == before)
    #expect(rig.currentID == 1)
    #expect(rig.requests.isEmpty)
    rig.perform(.setStandby(true))
    rig.playlist(.insert(after: 0, b))
    #expect(rig.state.isStandby)
  }

  @Test func refusals() {
    var rig = Rig.withPlaylist(2, configuration: PlayerConfiguration(tracksMax: 2))
    #expect(throws: PlayerError.playlistFull) { try rig.attempt(.playlist(.insert(after: 0, a))) }
    #expect(throws: PlayerError.idNotFound) { try rig.attempt(.playlist(.delete(3))) }
    #expect(throws: PlayerError.idNotFound) { try rig.attempt(.playlist(.delete(0))) }
    #expect(throws: PlayerError.idNotFound) { try rig.attempt(.playlist(.playID(3))) }
    #expect(throws: PlayerError.idNotFound) { try rig.attempt(.playlist(.playID(0))) }
    #expect(throws: PlayerError.indexNotFound) { try rig.attempt(.playlist(.playIndex(2))) }
    #expect(throws: PlayerError.indexNotFound) { try rig.attempt(.playlist(.playIndex(-1))) }
    rig.playlist(.delete(1))
    #expect(throws: PlayerError.idNotFound) { try rig.attempt(.playlist(.insert(after: 1, a))) }
    #expect(rig.ids == [2])
  }

  @Test func textIsBounded() {
    let size = (a.uri + a.metadata).utf8.count
    var rig = Rig.withPlaylist(0, configuration: PlayerConfiguration(playlistBytesMax: 2 * size))
    rig.playlist(.insert(after: 0, a), .insert(after: 0, a))
    #expect(throws: PlayerError.playlistFull) { try rig.attempt(.playlist(.insert(after: 0, a))) }
    rig.playlist(.delete(1), .insert(after: 0, b))
    #expect(rig.ids == [3, 2])
  }

  @Test func idsAreNeverUsedAgain() {
    var rig = Rig.withPlaylist(3)
    rig.playlist(.delete(3), .insert(after: 0, a))
    #expect(rig.newID == 4)
    rig.playlist(.deleteAll, .insert(after: 0, a))
    #expect(rig.ids == [5])
    rig.playlist(.delete(5))
    let restarted = Rig(snapshot: rig.state.snapshot)
    #expect(restarted.newID == 5)
  }

  @Test func whenIdsRunOutTheListIsFull() {
    let saved = PlaylistTracks([PlaylistTrack(id: .max, media: a)], lastID: 0)
    var rig = Rig(snapshot: PlayerSnapshot(player: Rig().state.saved(), tracks: saved))
    #expect(throws: PlayerError.playlistFull) { try rig.attempt(.playlist(.insert(after: 0, a))) }
    #expect(rig.ids == [.max])
  }

  @Test func theTokenCountsChangesOfTheList() {
    var rig = Rig.withPlaylist(2)
    var token = rig.state.playlist.token
    for command in [PlaylistCommand.insert(after: 0, a), .delete(1), .deleteAll] {
      rig.playlist(command)
      #expect(rig.state.playlist.token == token + 1)
      token += 1
    }
    for command in [PlaylistCommand.deleteAll, .setRepeat(true), .setShuffle(true), .play, .next] {
      rig.playlist(command)
      #expect(rig.state.playlist.token == token)
    }
  }
}

@Suite struct PlaylistDeletionTests {
  @Test func deletingAnotherTrackTouchesNothing() {
    for other: UInt32 in [1, 3] {
      var rig = Rig.playing(2, of: 3)
      let id = rig.id
      rig.playlist(.delete(other))
      #expect(rig.id == id)
      #expect(rig.currentID == 2)
      #expect(rig.requestNames == (other == 3 ? ["clearNext"] : []))
    }
  }

  @Test func deletingThePlayingTrackStartsTheNext() {
    var rig = Rig.playing(2, of: 3)
    rig.playlist(.delete(2))
    #expect(rig.currentID == 3)
    #expect(rig.requestNames == ["start"])
    #expect(rig.state.facts == TrackFacts())
  }

  @Test func deletingTheLastOnesStops() {
    var rig = Rig.playing(3, of: 3)
    rig.playlist(.delete(3))
    #expect(rig.phase == .stopped)
    #expect(rig.currentID == 1)
    rig.playlist(.play)
    rig.start()
    rig.playlist(.delete(2), .delete(1))
    #expect(rig.phase == .stopped)
    #expect(rig.currentID == 0)
    #expect(rig.requestNames == ["stop"])
  }

  @Test func deletingTheLastWhileRepeatingGoesOn() {
    var rig = Rig.playing(3, of: 3)
    rig.playlist(.setRepeat(true), .delete(3))
    #expect(rig.currentID == 1)
    #expect(rig.requestNames == ["start", "setNext"])
  }

  @Test func deletingTheCurrentTrackWhileNotPlayingPlaysNothing() {
    var rig = Rig.playing(2, of: 3)
    rig.playlist(.pause, .delete(2))
    #expect(rig.phase == .stopped)
    #expect(rig.currentID == 3)
    #expect(rig.requestNames == ["stop"])
    rig.playlist(.delete(3))
    #expect(rig.currentID == 1)
    #expect(rig.requests.isEmpty)
  }

  @Test func deletingInAnInactivePlaylistTouchesNothing() {
    var rig = Rig.playing(2, of: 3)
    rig.av(.setMedia(a), .play)
    let id = rig.id
    rig.playlist(.delete(2))
    #expect(rig.currentID == 3)
    rig.playlist(.deleteAll)
    #expect(rig.currentID == 0)
    #expect(rig.id == id)
    #expect(rig.requests.isEmpty)
  }

  @Test func deletingAllStops() {
    var rig = Rig.playing(2, of: 3)
    rig.playlist(.deleteAll)
    #expect(rig.phase == .stopped)
    #expect(rig.currentID == 0)
    #expect(rig.state.currentTrack == nil)
    #expect(rig.requestNames == ["stop"])
    #expect(rig.state.playlist.tracks.textBytes == 0)
  }
}
