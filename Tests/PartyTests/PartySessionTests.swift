import Player
import SeededRandom
import Testing

@testable import Party

@Suite struct PartySessionTests {
  private func refusal(_ body: () throws(PartyRefusal) -> Void) -> PartyRefusal? {
    do throws(PartyRefusal) {
      try body()
      return nil
    } catch { return error }
  }

  // MARK: Order

  @Test func requestsJoinBehindEarlierOnesAndAheadOfTheRest() throws {
    var world = PartyWorld()
    for _ in 0..<3 { world.append() }
    world.advance()
    let guest = try world.join()
    for _ in 0..<3 { try world.request(nil, guest) }
    #expect(world.queue.tracks == [1, 4, 5, 6, 2, 3])
    #expect(world.session.queuedTracks == [4, 5, 6])
  }

  @Test func aRequestThatWantsToBeNextComesFirst() throws {
    var world = PartyWorld()
    world.append()
    world.advance()
    let (one, two) = (try world.join(), try world.join(from: "192.0.2.2"))
    try world.request(nil, one)
    try world.request(nil, one, next: true)
    try world.request(nil, two, from: "192.0.2.2", next: true)
    #expect(world.queue.tracks == [1, 3, 4, 2])
    #expect(
      refusal { () throws(PartyRefusal) in try world.request(nil, one, next: true) }
        == .tooManyNext(wait: .seconds(1200)))
    world.now += .seconds(1200)
    try world.request(nil, one, next: true)
    #expect(world.session.queuedTracks == [3, 4, 5, 2])
  }

  @Test func votesMoveARequestAmongRequests() throws {
    var world = PartyWorld()
    for _ in 0..<2 { world.append() }
    world.advance()
    let guests = try (1...4).map { number throws(PartyRefusal) in
      try world.join(from: "192.0.2.\(number)")
    }
    let ids = try (0..<3).map { _ throws(PartyRefusal) in try world.request(nil, guests[0]) }
    try world.vote(ids[2], guests[1])
    #expect(world.queue.tracks == [1, 5, 3, 4, 2])
    try world.vote(ids[1], guests[1])
    try world.vote(ids[1], guests[2], from: "192.0.2.3")
    #expect(world.queue.tracks == [1, 4, 5, 3, 2])
    // Once more does no harm, and what is taken back is taken back.
    try world.vote(ids[1], guests[2], from: "192.0.2.3")
    try world.vote(ids[1], guests[1], isFor: false)
    try world.vote(ids[1], guests[2], isFor: false, from: "192.0.2.3")
    #expect(world.queue.tracks == [1, 5, 3, 4, 2])
    #expect(refusal { () throws(PartyRefusal) in try world.vote(ids[1], guests[0]) } == .noVote)
  }

  @Test func theHostsOwnOrderHolds() throws {
    var world = PartyWorld()
    world.append()
    world.advance()
    let guest = try world.join()
    for _ in 0..<3 { try world.request(nil, guest) }
    world.queue.tracks = [1, 4, 2, 3]
    let isChanged = world.take()
    #expect(isChanged)
    #expect(world.session.queuedTracks == [4, 2, 3])
    world.remove(2)
    #expect(world.session.queuedTracks == [4, 3])
    #expect(world.session.requests[0].state == .removed)
    // What the host jumps over doesn't come any more.
    world.jump(to: 3)
    #expect(world.session.requests.map(\.state) == [.removed, .playing(track: 3), .removed])
    world.append()
    world.advance()
    #expect(world.session.requests[1].state == .played)
  }

  /// The first request of an empty queue is its current track at once, but nothing begins to play by itself.
  @Test func whatNobodyHasHeardYetCanBeTakenBack() throws {
    var world = PartyWorld()
    let (ann, bob) = (try world.join(), try world.join(from: "192.0.2.2"))
    let first = try world.request(nil, ann)
    #expect(world.session.requests.map(\.state) == [.playing(track: 1)])
    #expect(world.session.requests.map(world.session.isCued) == [true])
    try world.vote(first, bob, from: "192.0.2.2")
    try world.withdraw(first, ann)
    #expect(world.queue.tracks.isEmpty && world.session.requests.isEmpty)
    let second = try world.request(nil, ann)
    try world.refuse(second)
    #expect(world.queue.tracks.isEmpty && world.session.requests.map(\.state) == [.refused])
    // What others remove before it was heard wasn't played.
    try world.request(nil, ann)
    world.remove(3)
    #expect(world.session.requests.map(\.state) == [.refused, .removed])
    let last = try world.request(nil, ann)
    let isChanged = { () -> Bool in
      world.queue.isPlaying = true
      return world.take()
    }()
    #expect(isChanged && world.session.requests.map(world.session.isCued) == [false, false, false])
    #expect(refusal { () throws(PartyRefusal) in try world.withdraw(last, ann) } == .isOver)
    #expect(refusal { () throws(PartyRefusal) in try world.refuse(last) } == .isOver)
  }

  // MARK: Modes

  @Test func theHostIsAsked() throws {
    var world = PartyWorld(.ask)
    world.append()
    let guest = try world.join("Ann")
    let ids = try (0..<3).map { _ throws(PartyRefusal) in try world.request(nil, guest) }
    #expect(world.queue.tracks == [1])
    try world.accept(ids[1])
    try world.accept(ids[0])
    // In the order in which they were accepted.
    #expect(world.queue.tracks == [1, 2, 3])
    #expect(world.session.queuedTracks == [2, 3])
    try world.refuse(ids[2])
    // Two pages do the same at once.
    try world.accept(ids[1])
    try world.refuse(ids[2])
    #expect(refusal { () throws(PartyRefusal) in try world.accept(ids[2]) } == .isOver)
    #expect(refusal { () throws(PartyRefusal) in try world.accept(99) } == .noRequest)
    // What is in the queue already leaves it.
    try world.refuse(ids[0])
    #expect(world.queue.tracks == [1, 2])
    world.session.change(mode: .add, length: nil, at: world.now)
    try world.request(nil, guest)
    #expect(world.session.queuedTracks.count == 2)
  }

  @Test func aGuestWithdrawsHisOwnOnly() throws {
    var world = PartyWorld()
    world.append()
    let (ann, bob) = (try world.join("Ann"), try world.join("Bob"))
    let id = try world.request(nil, ann)
    #expect(refusal { () throws(PartyRefusal) in try world.withdraw(id, bob) } == .notYours)
    try world.withdraw(id, ann)
    #expect(world.queue.tracks == [1])
    #expect(world.session.requests.isEmpty)
    #expect(refusal { () throws(PartyRefusal) in try world.withdraw(id, ann) } == .noRequest)
  }

  // MARK: Songs

  @Test func aSongIsThereOnce() throws {
    var world = PartyWorld()
    world.append()
    world.advance()
    let guest = try world.join()
    let song = PartySong(title: "One", artist: "Two", address: "http://s/a")
    try world.request(song, guest)
    let sameNames = PartySong(title: "ONE", artist: "two", address: "http://t/b")
    #expect(refusal { () throws(PartyRefusal) in try world.request(sameNames, guest) } == .isWaiting)
    let sameFile = PartySong(title: "Other", address: "http://s/a")
    #expect(refusal { () throws(PartyRefusal) in try world.request(sameFile, guest) } == .isWaiting)
    // Without an artist a title says nothing.
    try world.request(PartySong(title: "One", address: "http://t/c"), guest)
    world.advance()
    world.advance()
    #expect(
      refusal { () throws(PartyRefusal) in try world.request(sameFile, guest) }
        == .wasPlayed(wait: .seconds(3600)))
    world.now += .seconds(3599)
    #expect(
      refusal { () throws(PartyRefusal) in try world.request(sameFile, guest) }
        == .wasPlayed(wait: .seconds(1)))
    world.now += .seconds(1)
    try world.request(sameFile, guest)
  }

  @Test func whatTheHostPlaysWasPlayedToo() throws {
    var world = PartyWorld()
    let guest = try world.join()
    world.append()
    world.advance()
    let song = try #require(world.songs[1])
    #expect(
      refusal { () throws(PartyRefusal) in try world.request(song, guest) }
        == .wasPlayed(wait: PartyRules.rest))
  }

  // MARK: Limits

  @Test func tenRequestsAndOneMoreEveryTwoMinutes() throws {
    var world = PartyWorld()
    let guest = try world.join()
    for _ in 0..<10 { try world.request(nil, guest) }
    #expect(
      refusal { () throws(PartyRefusal) in try world.request(nil, guest) }
        == .tooManyRequests(wait: .seconds(120)))
    world.now += .seconds(119)
    #expect(
      refusal { () throws(PartyRefusal) in try world.request(nil, guest) }
        == .tooManyRequests(wait: .seconds(1)))
    world.now += .seconds(1)
    try world.request(nil, guest)
    #expect(refusal { () throws(PartyRefusal) in try world.request(nil, guest) } != nil)
  }

  @Test func whoIsSeveralGuestsHasNoMore() throws {
    var world = PartyWorld()
    var done = 0
    for _ in 0..<8 {
      let guest = try world.join()
      for _ in 0..<3 where refusal({ () throws(PartyRefusal) in try world.request(nil, guest) }) == nil {
        done += 1
      }
    }
    #expect(done == 10)
    // Nor who changes his address.
    let guest = try world.join(from: "192.0.2.9")
    for number in 0..<10 { try world.request(nil, guest, from: "198.51.100.\(number)") }
    #expect(
      refusal { () throws(PartyRefusal) in try world.request(nil, guest, from: "198.51.100.99") }
        == .tooManyRequests(wait: .seconds(120)))
  }

  @Test func wrongCodesAreSlowedDown() throws {
    var world = PartyWorld()
    for _ in 0..<10 {
      #expect(
        refusal { () throws(PartyRefusal) in
          _ = try world.session.join(
            code: "AAAAAAAA", name: nil, from: "a", at: world.now, using: &world.random)
        } == .wrongCode)
    }
    // The right one wouldn't be told from a wrong one now.
    #expect(
      refusal { () throws(PartyRefusal) in _ = try world.join(from: "a") }
        == .tooManyEntries(wait: .seconds(30)))
    _ = try world.join(from: "b")
    world.now += .seconds(30)
    _ = try world.join(from: "a")
    let code = world.session.code.lowercased()
    _ = try world.session.join(
      code: " \(code.prefix(4))-\(code.dropFirst(4)) ", name: nil, from: "b", at: world.now,
      using: &world.random)
  }

  @Test func thereIsRoomForSixtyFourGuests() throws {
    var world = PartyWorld(.ask)
    let first = try world.join("Waits", from: "0")
    try world.request(nil, first)
    for number in 1..<200 { _ = try world.join(from: "\(number)") }
    #expect(world.session.guests.count == 64)
    // Who waits for a song stays; who has done nothing goes.
    #expect(world.session.guest(withToken: first) != nil)
    let all = world.session.guests.dropFirst().map(\.token)
    for (number, token) in all.enumerated() { try world.request(nil, token, from: "x\(number)") }
    #expect(refusal { () throws(PartyRefusal) in _ = try world.join(from: "last") } == .tooManyGuests)
  }

  @Test func aHundredRequestsWaitAtMost() throws {
    var world = PartyWorld(.ask)
    for guest in 0..<10 {
      let token = try world.join(from: "\(guest)")
      for _ in 0..<10 { try world.request(nil, token, from: "\(guest)") }
    }
    let token = try world.join(from: "last")
    #expect(refusal { () throws(PartyRefusal) in try world.request(nil, token, from: "last") } == .isFull)
    try world.refuse(1)
    try world.request(nil, token, from: "last")
  }

  @Test func longMetadataDoesNotPileUp() throws {
    var world = PartyWorld(.ask)
    let token = try world.join()
    let long = Media(uri: "http://s/", metadata: String(repeating: "x", count: PartyRules.mostBytes / 2))
    _ = try world.session.request(
      PartySong(title: "a", address: "1"), long, token: token, from: "a", at: world.now)
    #expect(
      refusal { () throws(PartyRefusal) in
        _ = try world.session.request(
          PartySong(title: "b", address: "2"), long, token: token, from: "a", at: world.now)
      } == .isFull)
  }

  @Test func whoEntersAgainHasVotedAlready() throws {
    var world = PartyWorld()
    world.append()
    let (ann, bob) = (try world.join(), try world.join(from: "192.0.2.2"))
    let id = try world.request(nil, ann)
    try world.vote(id, bob, from: "192.0.2.2")
    let again = try world.join(from: "192.0.2.2")
    #expect(
      refusal { () throws(PartyRefusal) in try world.vote(id, again, from: "192.0.2.2") } == .noVote)
    #expect(world.session.request(id)?.voters.count == 1)
    // What is taken back doesn't count.
    try world.vote(id, bob, isFor: false, from: "192.0.2.2")
    try world.vote(id, again, from: "192.0.2.2")
    #expect(world.session.request(id)?.voters.count == 1)
  }

  @Test func votesHaveALimit() throws {
    var world = PartyWorld()
    world.append()
    let (ann, bob) = (try world.join(), try world.join(from: "192.0.2.2"))
    let id = try world.request(nil, ann)
    for number in 0..<30 { try world.vote(id, bob, isFor: number % 2 == 0, from: "192.0.2.2") }
    #expect(
      refusal { () throws(PartyRefusal) in try world.vote(id, bob, from: "192.0.2.2") }
        == .tooManyVotes(wait: .seconds(2)))
    world.now += .seconds(2)
    try world.vote(id, bob, from: "192.0.2.2")
  }

  /// Whoever has many addresses makes nobody's limit forgotten who has used more than one try.
  @Test func manyAddressesHideNobody() {
    var table = AddressTable()
    for _ in 0..<5 { table["real"].songs.take(of: Allowance(most: 10, every: .seconds(120)), at: .zero) }
    for number in 0..<1000 {
      table["\(number)"].entries.take(of: PartyRules.entries, at: .seconds(number / 100))
    }
    #expect(table.uses.count == AddressTable.most)
    #expect(table["real"].songs.isFull == .seconds(600))
  }

  @Test func textsAreLines() {
    let song = PartySong(
      title: "a\u{0}b\n" + String(repeating: "x", count: 999), artist: " \u{7f} ",
      picture: String(repeating: "p", count: 2000), address: "x")
    #expect(song.title.hasPrefix("abx") && song.title.unicodeScalars.count == 200)
    #expect(song.artist == nil && song.picture == nil)
  }

  // MARK: Ends

  @Test func itEndsByItself() {
    let world = PartyWorld()
    #expect(!world.session.isOver(at: world.now + .seconds(8 * 3600 - 1)))
    #expect(world.session.isOver(at: world.now + .seconds(8 * 3600)))
  }

  @Test func aSecondPartyIsClean() throws {
    var world = PartyWorld()
    let guest = try world.join()
    let id = try world.request(nil, guest)
    let code = world.session.code
    world.session = PartySession(.add, at: world.now, using: &world.random)
    #expect(world.session.code != code && PartyCode.isOne(world.session.code))
    #expect(world.session.requests.isEmpty && world.session.guests.isEmpty)
    #expect(refusal { () throws(PartyRefusal) in try world.request(nil, guest) } == .unknownGuest)
    #expect(refusal { () throws(PartyRefusal) in try world.vote(id, guest) } == .unknownGuest)
    // What the first one has left in the queue is a track like any other.
    let again = try world.join()
    try world.request(nil, again)
    #expect(world.session.queuedTracks == [2])
  }
}
