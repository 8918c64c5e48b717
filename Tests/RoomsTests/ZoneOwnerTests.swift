import Testing

@testable import Rooms

/// The owner of a zone, asked by others.
@Suite struct ZoneOwnerTests {
  private static let asker = IPv4Endpoint(address: 0x0a00_0002, port: 6000)
  private static let stream = SongcastURI.unicast(IPv4Endpoint(address: 0x0a00_0001, port: 5000))
  private static let second: Int64 = 1_000_000_000

  private var owner = ZoneOwner(zone: "kitchen", links: [IPv4Link(address: 0x0a00_0001, prefix: 24)])
  private let query = OHZMessage.queryDatagram(zone: "kitchen")

  @Test mutating func itsZoneIsAnsweredOnce() {
    #expect(
      owner.receive(query[...], from: Self.asker, at: 0) == Wire.zone("kitchen", "ohu://0.0.0.0:0"))
    #expect(owner.deadline == nil && owner.timePassed(at: 100 * Self.second) == nil)
    for other in ["bath", "", "kitchen2", "KITCHEN"] {
      #expect(owner.receive(OHZMessage.queryDatagram(zone: other)[...], from: Self.asker, at: 0) == nil)
    }
    #expect(owner.receive(Wire.zone("kitchen", "ohu://10.0.0.9:1")[...], from: Self.asker, at: 0) == nil)
    #expect(owner.receive([], from: Self.asker, at: 0) == nil)
  }

  @Test mutating func strangersAreNotAnswered() {
    let stranger = IPv4Endpoint(address: 0xc000_0207, port: 6000)
    #expect(owner.receive(query[...], from: stranger, at: 0) == nil)
  }

  @Test mutating func aChangeIsToldThreeTimes() {
    owner.setURI(Self.stream, at: 5)
    var told: [Int64] = []
    while let due = owner.deadline {
      #expect(owner.timePassed(at: due - 1) == nil)
      #expect(owner.timePassed(at: due) == Wire.zone("kitchen", "ohu://10.0.0.1:5000"))
      told.append(due)
    }
    #expect(told == [5, 100_000_005, 200_000_005])
    owner.setURI(Self.stream, at: 9)
    #expect(owner.deadline == nil, "no change")
    owner.setURI(.multicast(IPv4Endpoint(address: 0xeffd_0102, port: 51970)), at: Self.second)
    #expect(owner.timePassed(at: Self.second) == Wire.zone("kitchen", "ohm://239.253.1.2:51970"))
    owner.setURI(.silence, at: Self.second + 1)
    #expect(owner.timePassed(at: Self.second + 1) == Wire.zone("kitchen", "ohu://0.0.0.0:0"), "at once")
    #expect(owner.receive(query[...], from: Self.asker, at: Self.second + 1) != nil)
  }

  @Test mutating func aFloodIsAnsweredALittle() {
    var answers = 0
    for step in 0..<10_000 as Range<Int64> where owner.receive(query[...], from: Self.asker, at: step) != nil
    {
      answers += 1
    }
    #expect(answers == 20)
    #expect(owner.receive(query[...], from: Self.asker, at: Self.second) != nil)
  }

  @Test func datagramsAreShort() throws {
    let long = String(repeating: "é", count: 300)
    var owner = ZoneOwner(
      zone: long, uri: .unicast(IPv4Endpoint(address: .max, port: .max)),
      links: [IPv4Link(address: 0x0a00_0001, prefix: 24)])
    #expect(owner.zone.utf8.count == 256)
    let told = owner.receive(OHZMessage.queryDatagram(zone: owner.zone)[...], from: Self.asker, at: 0)
    let answer = try #require(told)
    #expect(answer.count <= 1024 && OHZMessage(answer[...]) != nil)
  }
}
