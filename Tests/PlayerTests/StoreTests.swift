import Testing

@testable import Player

@Suite struct StoreTests {
  /// A power cut takes what came in the last moment; phones may still know the ids of that.
  @Test func idsThatWereToldAndLostAreNotGivenAgain() {
    var rig = Rig.withPlaylist(3)
    let saved = rig.state.snapshot
    for _ in 0..<5000 { rig.playlist(.insert(after: 0, a), .delete(rig.newID)) }
    let told = rig.newID
    let token = rig.state.playlist.token
    rig = Rig(snapshot: saved)
    #expect(rig.ids == [1, 2, 3])
    #expect(rig.state.playlist.token > token, "no change is taken for another one of before")
    rig.playlist(.insert(after: 3, a))
    #expect(rig.newID > told)
    let next = rig.newID + 1
    rig.playlist(.insert(after: 3, a))
    #expect(rig.newID == next)
    var expected = saved
    expected.tracks.insert(PlaylistTrack(id: next - 1, media: a), after: 3)
    #expect(rig.stored.first == expected, "nothing but the insert")
    // Also where nothing but the first moments was lost.
    rig = Rig(snapshot: Rig.withPlaylist(0).state.snapshot)
    rig.playlist(.insert(after: 0, a))
    #expect(rig.newID > 60_000)
    // At the very end of all numbers there is no room to leave any out.
    let late = PlaylistTracks([PlaylistTrack(id: .max - 1, media: a)], lastID: 0)
    rig = Rig(snapshot: PlayerSnapshot(player: saved.player, tracks: late))
    rig.playlist(.insert(after: 0, b))
    let last: [UInt32] = [.max, .max - 1]
    #expect(rig.ids == last)
  }

  @Test func everythingSurvives() {
    var rig = Rig.playing(2, of: 4)
    rig.playlist(.delete(3), .setRepeat(true), .setShuffle(true))
    rig.radio(.setChannel(.station))
    rig.perform(.setBalance(3), .setMute(.master, true), .setSource(.upnpAV), .setStandby(true))
    let again = Rig(snapshot: rig.state.snapshot).state
    #expect(again.snapshot == rig.state.snapshot)
    #expect(again.playlist.tracks == rig.state.playlist.tracks)
    #expect(again.playlist.currentID == 2)
    #expect(again.playlist.isRepeating && again.playlist.isShuffling)
    #expect(again.radio.channel == .station)
    #expect(again.activeSource == .upnpAV)
    #expect(again.isStandby)
    #expect(again.volume == rig.state.volume)
    #expect(again.transport == .stopped)
  }

  @Test func aVolumeAloneIsEnough() {
    let volume = SavedPlayer(
      master: .init(decibels: -2560, isMuted: true), left: .init(decibels: 0, isMuted: false),
      right: .init(decibels: nil, isMuted: false))
    let saved = PlayerSnapshot(player: volume, tracks: PlaylistTracks())
    let state = Rig(snapshot: saved).state
    #expect(state.volume.decibels(of: .master) == -2560)
    #expect(state.volume.isMuted(.master))
    #expect(state.volume.balance == -Volume.balanceMax)
    #expect(state.playlist.isEmpty)
    #expect(state.radio.channel == nil)
    #expect(state.activeSource == .playlist)
    #expect(!state.isStandby)
  }

  @Test func anInsertStoresItselfOnly() {
    var rig = Rig.withPlaylist(3)
    var expected = rig.state.snapshot
    rig.stored = []
    rig.playlist(.insert(after: 2, a))
    expected.tracks.insert(PlaylistTrack(id: 4, media: a), after: 2)
    #expect(rig.stored == [expected])
    rig.stored = []
    rig.playlist(.delete(3))
    expected.tracks.remove(3)
    #expect(rig.stored == [expected])
    rig.stored = []
    rig.playlist(.deleteAll)
    expected.tracks.removeAll()
    expected.player.currentTrackID = 0
    #expect(rig.stored == [expected])
    rig.stored = []
    rig.playlist(.deleteAll, .stop)
    rig.perform(.setVolume(.master, rig.state.volume.step(of: .master)))
    #expect(rig.stored == [], "nothing has changed")
    rig.perform(.setVolume(.master, 3))
    expected.player.master = rig.state.saved().master
    #expect(rig.stored == [expected])
  }

  @Test func theCurrentTrackIsStoredAsItPlays() {
    var rig = Rig.playing(1, of: 2)
    rig.stored = []
    var expected = rig.state.snapshot
    rig.receive(.started(rig.nextID))
    expected.player.currentTrackID = 2
    #expect(rig.stored == [expected])
    #expect(rig.state.saved().currentTrackID == 2)
    rig.stored = []
    rig.receive(.playing(rig.id, position: .seconds(3)), .buffering(rig.id))
    #expect(rig.stored == [], "positions only when they are wanted")
  }

  @Test func changesThatDoNotFitDoNothing() {
    var tracks = Rig.withPlaylist(2).state.playlist.tracks
    let before = tracks
    #expect(tracks.insert(PlaylistTrack(id: 9, media: a), after: 77) == nil)
    #expect(tracks.insert(PlaylistTrack(id: 2, media: a), after: 0) == nil)
    #expect(tracks.insert(PlaylistTrack(id: 0, media: a), after: 0) == nil)
    tracks.append(PlaylistTrack(id: 2, media: a))
    #expect(tracks.remove(5) == nil)
    #expect(tracks == before)
    let twice = [1, 1, 0, 4].map { PlaylistTrack(id: $0, media: a) }
    #expect(PlaylistTracks(twice, lastID: 2).ids == [1, 4])
    #expect(PlaylistTracks(twice, lastID: 2).lastID == 4)
    #expect(PlaylistTracks(twice.reversed(), lastID: 2).lastID == 4)
    #expect(PlaylistTracks(twice, lastID: 9).lastID == 9)
  }

  @Test func aDamagedCurrentTrackIsTheFirst() {
    var saved = Rig.withPlaylist(2).state.snapshot
    saved.player.currentTrackID = 99
    saved.player.position = .seconds(-4)
    let state = Rig(PlayerConfiguration(resumesPosition: true), snapshot: saved).state
    #expect(state.playlist.currentID == 1)
    #expect(state.position(at: Rig().now) == .zero)
  }

  // MARK: Resuming

  @Test func thePositionIsRestoredOnRequest() {
    let configuration = PlayerConfiguration(resumesPosition: true)
    var rig = Rig.playing(2, of: 3, configuration: configuration)
    rig.wait(.seconds(30))
    #expect(rig.state.saved().position == .zero)
    #expect(rig.state.saved(at: rig.now).position == .seconds(30))
    rig.playlist(.pause)
    #expect(rig.state.snapshot.player.position == .seconds(30))
    var again = Rig(configuration, snapshot: rig.state.snapshot)
    #expect(again.position == .seconds(30))
    #expect(again.state.snapshot == rig.state.snapshot)
    again.playlist(.play)
    #expect(again.requests.first == .start(again.id, .numbered(2), position: .seconds(30), paused: false))
    var without = Rig(snapshot: rig.state.snapshot)
    without.playlist(.play)
    #expect(without.requests.first == .start(without.id, .numbered(2), position: .zero, paused: false))
    rig.perform(.setSource(.radio))
    #expect(rig.state.saved(at: rig.now).position == nil)
  }
}

@Suite struct TrackTableTests {
  @Test func holdsWhatADictionaryHolds() {
    var random = SplitMix64(seed: 11)
    var table = TrackTable()
    var model: [UInt32: Media] = [:]
    for step in 0..<20_000 {
      // Regular ids too, which must not all fall into one bucket's fate.
      let id = UInt32.random(in: 0..<500, using: &random) &* (step % 2 == 0 ? 1 : 1024)
      if Bool.random(using: &random) {
        table.insert(PlaylistTrack(id: id, media: .numbered(UInt32(step))))
        model[id] = .numbered(UInt32(step))
      } else {
        let removed = table.remove(id)
        #expect(removed?.media == model.removeValue(forKey: id))
      }
      #expect(table[id]?.media == model[id])
    }
    for (id, media) in model { #expect(table[id]?.media == media) }
    var other = TrackTable()
    for id in model.keys.shuffled() { if let track = table[id] { other.insert(track) } }
    #expect(other == table, "however it was filled")
    other.removeAll()
    #expect(other == TrackTable())
  }

  /// Counts how many tracks of a copy had to be moved elsewhere in memory for one change.
  @Test func aChangeCopiesNextToNothing() {
    func places(_ tracks: PlaylistTracks) -> Set<UInt> {
      var result: Set<UInt> = []
      for bucket in tracks.table.rows.joined() {
        bucket.withUnsafeBufferPointer { _ = result.insert(UInt(bitPattern: $0.baseAddress)) }
      }
      return result
    }
    var tracks = PlaylistTracks()
    for id in 1...10_000 as ClosedRange<UInt32> { tracks.append(PlaylistTrack(id: id, media: a)) }
    let before = tracks
    tracks.insert(PlaylistTrack(id: 20_000, media: b), after: 5000)
    let (old, new) = (places(before), places(tracks))
    #expect(old.count > 500)
    #expect(new.subtracting(old).count == 1)
    tracks.remove(7)
    #expect(places(tracks).subtracting(old).count <= 2)
  }
}
