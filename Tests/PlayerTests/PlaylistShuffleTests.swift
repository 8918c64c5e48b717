import Testing

@testable import Player

@Suite struct PlaylistShuffleTests {
  /// Plays on without gaps and gives what is heard, `count` tracks at most.
  private func hear(_ rig: inout Rig, _ count: Int) -> [UInt32] {
    var heard = [rig.currentID]
    while heard.count < count, let next = rig.state.offer?.track {
      rig.wait(TrackRateLimit.interval)
      rig.receive(.started(next.id))
      heard.append(rig.currentID)
    }
    return heard
  }

  @Test(arguments: [1, 2, 3, 40, 300], [0, 7, 99] as [UInt64]) func eachIsHeardOnceThenItStops(
    count: Int, seed: UInt64
  ) {
    var rig = Rig.withPlaylist(count, configuration: PlayerConfiguration(shuffleSeed: seed))
    rig.playlist(.setShuffle(true), .play)
    rig.start()
    let heard = hear(&rig, count + 1)
    #expect(heard.count == count)
    #expect(Set(heard).count == count)
    if count >= 40 { #expect(heard != heard.sorted()) }
    rig.receive(.ended(rig.id))
    #expect(rig.phase == .stopped)
    if count >= 300 { #expect(rig.currentID != heard[0], "another order comes next") }
  }

  @Test(arguments: [0, 7, 99] as [UInt64]) func whatIsBroughtNextPlaysNext(seed: UInt64) throws {
    var rig = Rig.withPlaylist(40, configuration: PlayerConfiguration(shuffleSeed: seed))
    rig.playlist(.setShuffle(true), .play)
    rig.start()
    let current = rig.currentID
    let wanted = [UInt32](1...40).filter { $0 != current }.suffix(3).reversed() as [UInt32]
    rig.playlist(.bringNext(wanted + [current, 99]))
    #expect(rig.currentID == current)
    let heard = hear(&rig, 41)
    #expect(Array(heard.prefix(4)) == [current] + wanted)
    #expect(heard.count == 40 && Set(heard).count == 40)
    #expect(rig.state.playlist.tracks.ids == Array(1...40), "the list stays as it is")
    // Also what has played already.
    rig.playlist(.bringNext([wanted[0]]))
    #expect(hear(&rig, 3).dropFirst().first == wanted[0])
  }

  @Test func withoutShufflingTheListSaysWhatIsNext() {
    var rig = Rig.withPlaylist(4)
    rig.playlist(.play)
    rig.start()
    rig.playlist(.bringNext([4]))
    #expect(hear(&rig, 5) == [1, 2, 3, 4])
  }

  @Test func whatIsBroughtNextIsNextOfAListThatHasNotPlayed() {
    for seed in 0..<20 as Range<UInt64> {
      var rig = Rig.withPlaylist(9, configuration: PlayerConfiguration(shuffleSeed: seed))
      rig.playlist(.setShuffle(true))
      let current = rig.currentID
      let wanted: UInt32 = current == 5 ? 6 : 5
      rig.playlist(.bringNext([wanted]), .play)
      rig.start()
      #expect(Array(hear(&rig, 2)) == [current, wanted])
    }
  }

  @Test(arguments: [2, 3, 40]) func repeatMakesANewOrderForEachRound(count: Int) {
    var rig = Rig.withPlaylist(count)
    rig.playlist(.setShuffle(true), .setRepeat(true), .play)
    rig.start()
    let heard = hear(&rig, 6 * count)
    let rounds = stride(from: 0, to: heard.count, by: count).map { Array(heard[$0..<$0 + count]) }
    #expect(rounds.count == 6)
    for round in rounds { #expect(Set(round).count == count) }
    for (track, next) in zip(heard, heard.dropFirst()) { #expect(track != next) }
    if count == 40 { #expect(Set(rounds).count == 6) }
  }

  /// One of them is refused; where it is the last of a round, the next round begins with what was announced.
  @Test(arguments: 0..<20 as Range<UInt64>) func whatIsAnnouncedIsWhatFollows(seed: UInt64) {
    var rig = Rig(PlayerConfiguration(shuffleSeed: seed))
    for id in 0..<4 as Range<UInt32> { rig.playlist(.insert(after: id, .numbered(id + 1))) }
    rig.playlist(.insert(after: 4, Media(uri: "ftp://server/refused")))
    rig.playlist(.setShuffle(true), .setRepeat(true), .playID(1))
    rig.start()
    var heard: [UInt32] = [1]
    var orders = [rig.state.playlist.order]
    while heard.count < 40, let next = rig.state.offer?.track {
      rig.wait(TrackRateLimit.interval)
      rig.receive(.started(next.id))
      #expect(rig.state.currentTrack == next.media)
      heard.append(rig.currentID)
      if rig.state.playlist.order != orders.last { orders.append(rig.state.playlist.order) }
    }
    for round in stride(from: 0, to: heard.count, by: 4) {
      #expect(Set(heard[round..<min(round + 4, heard.count)]) == [1, 2, 3, 4])
    }
    #expect(heard.count == 40)
    #expect(orders.count >= 9, "a new order for each round; two alike are rare")
  }

  @Test func nextGoesTheSameWayAsTheTracksByThemselves() {
    var heard: [[UInt32]] = []
    for skips in [false, true] {
      var rig = Rig.withPlaylist(10, configuration: PlayerConfiguration(shuffleSeed: 5))
      rig.playlist(.setShuffle(true), .setRepeat(true), .play)
      rig.start()
      var ids = [rig.currentID]
      for _ in 0..<25 {
        if skips { rig.playlist(.next) } else { rig.receive(.started(rig.nextID)) }
        ids.append(rig.currentID)
      }
      heard.append(ids)
    }
    #expect(heard[0] == heard[1])
  }

  @Test func turningItOnKeepsTheTrackAndAllOthersFollow() {
    var rig = Rig.playing(20, of: 50)
    let id = rig.id
    rig.playlist(.setShuffle(true))
    #expect(rig.id == id)
    #expect(rig.currentID == 20)
    #expect(rig.ids == Array(1...50), "the list itself stays as it is")
    #expect(Set(hear(&rig, 51)).count == 50)
    rig.playlist(.playID(20), .setShuffle(false))
    #expect(rig.currentID == 20)
    #expect(rig.state.follower == .numbered(21))
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func newTracksComeBehindTheCurrentOne(seed: UInt64) {
    var rig = Rig.withPlaylist(10, configuration: PlayerConfiguration(shuffleSeed: seed))
    rig.playlist(.setShuffle(true), .play, .next, .next)
    let heard = rig.state.playlist.order.prefix(3)
    for _ in 0..<10 { rig.playlist(.insert(after: 0, a)) }
    #expect(rig.state.playlist.order.prefix(3) == heard)
    #expect(Set(rig.state.playlist.order) == Set(1...20))
  }

  @Test func newTracksComeAtRandom() {
    let places = (0..<60 as Range<UInt64>).map { seed -> Int? in
      var rig = Rig.withPlaylist(10, configuration: PlayerConfiguration(shuffleSeed: seed))
      rig.playlist(.setShuffle(true), .play, .insert(after: 0, a))
      return rig.state.playlist.order.firstIndex(of: 11)
    }
    #expect(Set(places) == Set((1...10).map { $0 }))
  }

  @Test func aFreshListBeginsAtRandom() {
    let first = (0..<60 as Range<UInt64>).map { seed -> UInt32 in
      var rig = Rig(PlayerConfiguration(shuffleSeed: seed))
      rig.playlist(.setShuffle(true))
      for id in 0..<5 as Range<UInt32> { rig.playlist(.insert(after: id, a)) }
      #expect(rig.currentID == 1)
      rig.playlist(.play)
      return rig.currentID
    }
    #expect(Set(first) == [1, 2, 3, 4, 5])
  }

  @Test func aListThatWasPlayedGoesOnWhereItIs() {
    var rig = Rig.withPlaylist(50)
    rig.playlist(.setShuffle(true), .play)
    let current = rig.currentID
    rig.playlist(.stop, .play)
    #expect(rig.currentID == current)
    rig.playlist(.deleteAll)
    for _ in 0..<50 { rig.playlist(.insert(after: 0, a)) }
    let first = rig.currentID
    rig.playlist(.play)
    #expect(rig.currentID != first, "a new list; one in fifty seeds would fail here")
  }

  @Test func choosingATrackLeavesTheOthersTheirTurn() {
    var rig = Rig.withPlaylist(30)
    rig.playlist(.setShuffle(true), .play, .next)
    rig.start()
    let before = Array(rig.state.playlist.order.prefix(2))
    let chosen = rig.state.playlist.order[20]
    rig.playlist(.playID(chosen))
    rig.start()
    let heard = hear(&rig, 31)
    #expect(heard.first == chosen)
    #expect(Set(before + heard) == Set(1...30))
    #expect(before.count + heard.count == 30)
  }

  @Test func previousGoesBackTheWayItCame() {
    var rig = Rig.withPlaylist(30)
    rig.playlist(.setShuffle(true), .play)
    var heard = [rig.currentID]
    for _ in 0..<10 {
      rig.playlist(.next)
      heard.append(rig.currentID)
    }
    for id in heard.dropLast().reversed() {
      rig.playlist(.previous)
      #expect(rig.currentID == id)
    }
  }

  @Test func survivesDeletionsAndRestarts() {
    var rig = Rig.withPlaylist(20)
    rig.playlist(.setShuffle(true), .play, .next)
    for id in 1...20 as ClosedRange<UInt32> where id != rig.currentID && id % 3 == 0 {
      rig.playlist(.delete(id))
    }
    #expect(rig.state.playlist.order.sorted() == rig.ids.sorted())
    let again = Rig(snapshot: rig.state.snapshot)
    #expect(again.state.playlist.isShuffling)
    #expect(again.currentID == rig.currentID)
    #expect(again.ids == rig.ids)
    #expect(again.state.playlist.order.sorted() == rig.ids.sorted())
  }
}
