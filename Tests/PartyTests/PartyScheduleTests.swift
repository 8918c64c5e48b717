import Player
import SeededRandom
import Testing

@testable import Party

/// Random evenings, against a simple model.
@Suite struct PartyScheduleTests {
  @Test(arguments: 0..<30) func randomEvenings(seed: UInt64) throws {
    var world = PartyWorld(seed % 2 == 0 ? .add : .ask, seed: seed)
    var random = SeededRandom(seed: seed &+ 1000)
    var guests: [(token: String, address: String)] = []
    for _ in 0..<400 {
      world.now += .seconds(Int.random(in: 0...40, using: &random))
      let guest = guests.randomElement(using: &random)
      let id = Int.random(in: 1...max(world.session.lastRequest + 1, 2), using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0:
        let address = "192.0.2.\(Int.random(in: 0..<30, using: &random))"
        if let token = try? world.join("G", from: address) { guests.append((token, address)) }
      case 1...4:
        if let guest {
          _ = try? world.request(
            nil, guest.token, from: guest.address, next: Int.random(in: 0..<5, using: &random) == 0)
        }
      case 5, 6:
        if let guest {
          try? world.vote(id, guest.token, isFor: Bool.random(using: &random), from: guest.address)
        }
      case 7: if let guest { try? world.withdraw(id, guest.token) }
      case 8: try? world.accept(id)
      case 9: if Bool.random(using: &random) { try? world.refuse(id) } else { world.append() }
      case 10:
        if let track = world.queue.tracks.randomElement(using: &random), Bool.random(using: &random) {
          world.remove(track)
        }
      default: world.advance()
      }
      try check(world)
      if Int.random(in: 0..<50, using: &random) == 0 { world = try restarted(world) }
    }
    #expect(world.session.lastRequest > 10)
  }

  /// Requests stand behind what plays, ahead of all others, in the order that the rules give.
  private func check(_ world: PartyWorld) throws {
    let session = world.session
    #expect(session.guests.count <= PartyRules.mostGuests)
    let waiting = session.requests.filter(\.isWaiting)
    #expect(waiting.count <= PartyRules.mostWaiting)
    #expect(Set(waiting.map(\.song.address)).count == waiting.count)
    let queued = waiting.filter { $0.queuedTrack != nil }
    let wanted = queued.sorted { one, other in
      (one.wantsNext ? 0 : 1, one.wantsNext ? 0 : -one.voters.count, one.turn)
        < (other.wantsNext ? 0 : 1, other.wantsNext ? 0 : -other.voters.count, other.turn)
    }.compactMap(\.queuedTrack)
    #expect(session.queuedTracks == wanted)
    let mine = Set(wanted)
    #expect(world.queue.tracks.filter(mine.contains) == wanted)
    guard let current = world.queue.tracks.firstIndex(of: world.queue.current) else {
      #expect(wanted.isEmpty)
      return
    }
    #expect(Array(world.queue.tracks[(current + 1)...].prefix(wanted.count)) == wanted)
  }

  private func restarted(_ world: PartyWorld) throws -> PartyWorld {
    var next = world
    let clocks = PartySession.Clocks(boot: "boot", now: world.now, date: 5)
    next.session = try #require(
      PartySession(
        world.session.text(clocks), clocks, rules: world.session.rules,
        media: { track in
          world.queue.tracks.contains(track) ? Media(uri: world.songs[track]?.address ?? "") : nil
        }, song: { PartySong(title: "?", address: $0.uri) }))
    #expect(next.session.queuedTracks == world.session.queuedTracks)
    #expect(next.session.guests.map(\.token) == world.session.guests.map(\.token))
    #expect(
      next.session.requests.filter(\.isWaiting).map { [$0.id, $0.guest, $0.voters.count] }
        == world.session.requests.filter(\.isWaiting).map { [$0.id, $0.guest, $0.voters.count] })
    #expect(next.session.mode == world.session.mode && next.session.end == world.session.end)
    return next
  }

  /// Against a bucket that is filled drop by drop.
  @Test(arguments: 0..<40) func allowances(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let allowance = Allowance(
      most: Int.random(in: 1...10, using: &random),
      every: .seconds(Int.random(in: 1...120, using: &random)))
    var (use, now) = (AllowanceUse(), Duration.seconds(10))
    // In units of 1 / every.
    let every = Int(allowance.every.components.seconds)
    var (level, taken) = (allowance.most * every, 0)
    for _ in 0..<500 {
      let pause = Int.random(in: 0...every, using: &random)
      now += .seconds(pause)
      level = min(allowance.most * every, level + pause)
      #expect(use.left(of: allowance, at: now) == level / every)
      let wait = use.wait(for: allowance, at: now)
      #expect(wait == .seconds(max(0, every - level)))
      guard wait == .zero else { continue }
      use.take(of: allowance, at: now)
      level -= every
      taken += 1
    }
    #expect(taken > 0)
  }

  // MARK: Text

  @Test func whatIsSavedIsRead() throws {
    var world = PartyWorld(.ask)
    world.append()
    let (ann, bob) = (try world.join("Ann \"<x>\""), try world.join(from: "b"))
    for _ in 0..<3 { try world.request(nil, ann) }
    try world.accept(2)
    try world.vote(3, bob, from: "b")
    let saved = PartySession.Clocks(boot: "one", now: world.now, date: 1_000_000)
    let text = world.session.text(saved)
    func read(_ clocks: PartySession.Clocks) -> PartySession? {
      PartySession(
        text, clocks, rules: PartyRules(), media: { $0 == 2 ? Media(uri: "http://s/3") : nil },
        song: { PartySong(title: "Known", address: $0.uri) })
    }
    let length = PartyRules.usualLength
    // The program was started again: the clock goes on.
    let same = try #require(read(.init(boot: "one", now: world.now + .seconds(60), date: 1_060_000)))
    #expect(same.end == world.now + length && same.code == world.session.code && same.mode == .ask)
    #expect(same.guests.map(\.name) == ["Ann \"<x>\"", nil])
    #expect(same.request(3)?.voters == [2] && same.request(1)?.askedMedia?.uri == "http://s/2")
    #expect(same.queuedTracks == [2])
    // The machine was started again an hour later, and knows the time, or doesn't.
    let later = try #require(read(.init(boot: "two", now: .seconds(9), date: 4_600_000)))
    #expect(later.end == .seconds(9) + length - .seconds(3600))
    let unset = try #require(read(.init(boot: "two", now: .seconds(9), date: 0)))
    #expect(unset.end == .seconds(9) + length)
    #expect(read(.init(boot: "one", now: world.now + length, date: 0)) == nil)
    #expect(read(.init(boot: "two", now: .zero, date: 1_000_000 + 9 * 3_600_000)) == nil)
  }

  @Test func manyGuestsOfTheStateAreNotRead() throws {
    let token = String(repeating: "A", count: PartyCode.tokenLength)
    let guests = (1...500).map { #"{"id":\#($0),"token":"\#(token)"}"# }.joined(separator: ",")
    let text =
      #"{"boot":"b","at":0,"date":0,"code":"ABCDEFGH","mode":"ask","left":9000000000000,"guests":[\#(guests)]}"#
    let read = PartySession(
      text, .init(boot: "b", now: .zero, date: 0), rules: PartyRules(), media: { _ in nil },
      song: { PartySong(title: "", address: $0.uri) })
    #expect(try #require(read).guests.count == PartyRules.mostGuests)
    #expect(read?.end == PartyRules.longest)
  }

  /// Whatever stands in the state, nothing goes wrong.
  @Test(arguments: 0..<200) func brokenTextIsRefusedOrRead(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var world = PartyWorld(.ask, seed: seed)
    let guest = try world.join("A")
    for _ in 0..<3 { try world.request(nil, guest) }
    try world.accept(1)
    let clocks = PartySession.Clocks(boot: "b", now: world.now, date: 1)
    var bytes = Array(world.session.text(clocks).utf8)
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let place = Int.random(in: bytes.indices, using: &random)
      if Bool.random(using: &random) {
        bytes[place] = UInt8.random(in: 0x20...0x7e, using: &random)
      } else {
        bytes.remove(at: place)
      }
    }
    let read = PartySession(
      String(decoding: bytes, as: UTF8.self), clocks, rules: PartyRules(),
      media: { Media(uri: "http://s/\($0)") }, song: { PartySong(title: "", address: $0.uri) })
    guard let read else { return }
    #expect(read.end <= clocks.now + PartyRules.longest)
    #expect(read.requests.count <= 3 && read.guests.count <= 1)
  }
}
