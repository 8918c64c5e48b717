import Testing

@testable import Player

/// What of a list is still to come.
@Suite struct UpcomingTests {
  private func upcoming(_ rig: Rig, _ most: Int = 10) -> [String] {
    rig.state.playlist.upcoming(most: most).map(\.uri)
  }

  private func uris(_ rig: Rig, _ ids: [UInt32]) -> [String] {
    ids.compactMap { rig.state.playlist.tracks[$0]?.uri }
  }

  @Test func theRestOfTheList() {
    var rig = Rig.withPlaylist(5)
    #expect(upcoming(rig) == uris(rig, [2, 3, 4, 5]))
    #expect(upcoming(rig, 2) == uris(rig, [2, 3]))
    #expect(upcoming(rig, 0) == [])
    rig.playlist(.playID(5))
    #expect(upcoming(rig) == [])
    #expect(Rig().state.playlist.upcoming(most: 10) == [])
  }

  @Test func aListThatRepeatsIsToldOnce() {
    var rig = Rig.withPlaylist(4)
    rig.playlist(.setRepeat(true), .playID(3))
    #expect(upcoming(rig) == uris(rig, [4, 1, 2]))
    #expect(upcoming(rig, 2) == uris(rig, [4, 1]))
  }

  @Test(arguments: [0, 7, 99] as [UInt64]) func aShuffledListIsToldInItsOrder(seed: UInt64) {
    var rig = Rig.withPlaylist(8, configuration: PlayerConfiguration(shuffleSeed: seed))
    rig.playlist(.setShuffle(true), .play)
    rig.start()
    let told = upcoming(rig)
    #expect(told.count == 7 && told == uris(rig, Array(rig.state.playlist.order.dropFirst())))
  }
}
