import Testing

@testable import HTTP
@testable import Network
@testable import Page

/// Which page is sent what.
@Suite struct EventStreamTableTests {
  private var table = EventStreamTable(limits: EventStreamLimits())

  private mutating func add(
    _ number: Int, _ names: Set<PageSections.Name> = [.player], address: UInt32 = 1, most: Int = 16
  ) -> Set<PageSections.Name>? {
    table.add(.number(number), .v4(address), names, most: most)
  }

  @Test mutating func eachVersionIsSentOnce() {
    _ = add(1)
    _ = add(2, [.player, .queue])
    #expect(Set(table.readers(of: .player, version: 1)) == [.number(1), .number(2)])
    #expect(table.readers(of: .player, version: 1).isEmpty)
    #expect(table.readers(of: .queue, version: 1) == [.number(2)])
    #expect(Set(table.readers(of: .player, version: 2)) == [.number(1), .number(2)])
  }

  /// A version may be 0, and is sent then as well.
  @Test mutating func theFirstVersionIsSentWhateverItIs() {
    _ = add(1)
    #expect(table.readers(of: .player, version: 0) == [.number(1)])
  }

  /// Nothing is queued for a slow page: it gets the latest when it can.
  @Test mutating func aSlowPageGetsTheLatest() {
    _ = add(1, [.player, .queue])
    #expect(table.readers(of: .player, version: 1) == [.number(1)])
    table.wrote(.number(1))
    for version in 2...9 { #expect(table.readers(of: .player, version: version).isEmpty) }
    #expect(table.readers(of: .queue, version: 1).isEmpty)
    #expect(table.idle.isEmpty)
    #expect(table.taken(.number(1)) == [.player, .queue])
    #expect(table.idle == [.number(1)])
    #expect(table.readers(of: .player, version: 9) == [.number(1)])
    #expect(table.taken(.number(1)).isEmpty)
  }

  @Test mutating func thereAreOnlySoManyOfAnAddress() {
    for number in 1...4 { #expect(add(number) != nil) }
    #expect(add(5) == nil)
    #expect(add(6, address: 2) != nil)
    _ = table.remove(.number(1))
    #expect(add(5) != nil)
  }

  @Test mutating func thereAreOnlySoManyInAll() {
    for number in 1...16 { #expect(add(number, address: UInt32(number)) != nil) }
    #expect(add(17, address: 17) == nil)
    #expect(table.count == 16)
  }

  @Test mutating func whoFollowsIsKnown() {
    #expect(add(1, [.player]) == [.player])
    #expect(add(2, [.player, .servers]) == [.servers])
    #expect(table.isFollowed(.servers))
    #expect(table.remove(.number(2)) == [.servers])
    #expect(table.remove(.number(2)) == nil)
    #expect(table.remove(.number(1)) == [.player])
    #expect(!table.isFollowed(.player))
    // A stream that has ended is of no interest any more.
    table.wrote(.number(1))
    #expect(table.taken(.number(1)).isEmpty)
  }
}
