import Foundation
import Player
import SeededRandom
import Testing
import UPnP

@testable import Services

/// A zone of a test: `RINCON_00000000000N01400`, which sends to `ohz://…/roomN`.
func zoneFacts(
  _ number: Int, listensTo: Int? = nil, turn: UInt32 = 0,
  household: String = "Sonos_aaaaaaaaaaaaaaaaaaaaaaaaaa",
  standing: ZoneFacts.Standing = .settled, volume: Int = 20, isMuted: Bool = false
) -> ZoneFacts {
  ZoneFacts(
    ZoneMember(
      uid: zoneUID(number), address: "192.0.2.\(number)", name: "Room \(number)", icon: "", bootSequence: 1,
      isIdle: true),
    household: household, standing: standing, sender: ZoneSender(zoneSender(number)),
    listensTo: listensTo.map(zoneSenderURI) ?? "", turn: turn, volume: volume, isMuted: isMuted)
}

func zoneUID(_ number: Int) -> String { "RINCON_0000000000\(number < 10 ? "0" : "")\(number)01400" }
func zoneSenderURI(_ number: Int) -> String { "ohz://239.255.255.250:51972/room\(number)" }
func zoneSender(_ number: Int) -> String {
  SenderItem(room: "Room", sender: .init(zone: "room\(number)", isMulticast: false), icon: "").document
}

@Suite struct ZoneHouseholdTests {
  private func members(_ zones: [ZoneFacts]) -> [[String]] {
    ZoneHousehold.groups(of: zones).map { $0.members.map(\.uid) }
  }

  @Test func whoListensIsAMember() {
    #expect(members([zoneFacts(2), zoneFacts(1)]) == [[zoneUID(1)], [zoneUID(2)]])
    #expect(
      members([zoneFacts(1, listensTo: 3), zoneFacts(2, listensTo: 3), zoneFacts(3)]) == [
        [3, 1, 2].map(zoneUID)
      ])
    // One that listens to a zone that is gone, or to none at all, plays by itself.
    #expect(members([zoneFacts(1, listensTo: 3), zoneFacts(2)]) == [[zoneUID(1)], [zoneUID(2)]])
    // Whom a member listens to passes it on.
    #expect(
      members([zoneFacts(1, listensTo: 2), zoneFacts(2, listensTo: 3), zoneFacts(3)]) == [
        [3, 1, 2].map(zoneUID)
      ])
    // A circle hears nothing, and is one group.
    #expect(members([zoneFacts(1, listensTo: 2), zoneFacts(2, listensTo: 1)]) == [[1, 2].map(zoneUID)])
    #expect(members([zoneFacts(1, listensTo: 1)]) == [[zoneUID(1)]])
    #expect(
      ZoneHousehold.followers(
        of: zoneFacts(3), among: [zoneFacts(2, listensTo: 3), zoneFacts(1, listensTo: 2)]
      )
      .map(\.uid) == [zoneUID(2)])
  }

  @Test func everyGroupThatIsFormedHasAnIdOfItsOwn() throws {
    func id(_ zones: [ZoneFacts]) throws -> String {
      try #require(ZoneHousehold.groups(of: zones).first { $0.members.contains { $0.uid == zoneUID(1) } }).id
    }
    let host = zoneFacts(1)
    let ids = try [
      id([host, zoneFacts(2)]), id([host, zoneFacts(2, listensTo: 1, turn: 1)]),
      id([host, zoneFacts(2, listensTo: 1, turn: 3)]),
      id([host, zoneFacts(2, listensTo: 1, turn: 3), zoneFacts(3, listensTo: 1, turn: 1)]),
    ]
    #expect(Set(ids).count == ids.count)
    for id in ids {
      let parts = id.split(separator: ":")
      #expect(parts.count == 2 && parts[0] == zoneUID(1) && UInt32(parts[1]) != nil)
    }
  }

  @Test(arguments: 0..<200)
  func theOrderOfWhatIsHeardDoesNotMatter(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let zones = (1...6).map {
      zoneFacts($0, listensTo: Bool.random(using: &random) ? Int.random(in: 1...7, using: &random) : nil)
    }
    let document = ZoneTopology.document(ZoneHousehold.groups(of: zones))
    #expect(ZoneTopology.document(ZoneHousehold.groups(of: zones.shuffled(using: &random))) == document)
    for zone in zones { #expect(document.components(separatedBy: "UUID=\"\(zone.uid)\"").count == 2) }
  }

  @Test func factsAreReadAsTheyWereTold() throws {
    let zone = ZoneSpeaker()
    zone.playback.home.setSender { ZoneSender(zoneSender(1)) }
    try zone.speaker.player.assumeIsolated { try $0.perform(.senderChanged(SenderState(isEnabled: true))) }
    let own = zone.playback.home.facts
    let told = ZoneHouseholdService(home: zone.playback.home, grouping: nil).eventedValues()
    var values = Dictionary(told.map { ($0.name, $0.value) }) { first, _ in first }
    #expect(ZoneFacts(uid: own.uid, address: "192.0.2.7", values: values) == own)
    #expect(own.sender.uri == zoneSenderURI(1))
    let bad: [(String, String?)] = [
      ("Household", "Sonos_x"), ("Household", "Sonos_aaaaaaaaaaaaaaaaaaaaaaaaa\n"), ("Standing", "3"),
      ("Volume", "101"),
      ("RoomName", String(repeating: "x", count: 129)), ("ListensTo", String(repeating: "x", count: 1025)),
      ("Sender", String(repeating: "x", count: 4097)), ("BootSeq", "0"), ("Turn", "-1"), ("IsMuted", nil),
    ]
    for (name, value) in bad {
      let right = values[name]
      values[name] = value
      #expect(ZoneFacts(uid: own.uid, address: "192.0.2.7", values: values) == nil, "\(name)")
      values[name] = right
    }
    values["Sender"] = zoneSender(1).replacing("ohz://", with: "http://")
    #expect(ZoneFacts(uid: own.uid, address: "192.0.2.7", values: values)?.sender.uri == "")
  }

  @Test func anotherHouseholdIsNotShown() {
    let home = ZoneSpeaker().playback.home
    home.take(zoneFacts(1, household: "Sonos_zzzzzzzzzzzzzzzzzzzzzzzzzz", standing: .fresh), now: 0)
    #expect(home.groups.count == 1)
    home.take(zoneFacts(2, household: home.household, standing: .settled), now: 0)
    #expect(home.groups.count == 2)
    home.forget(zoneUID(2))
    #expect(home.groups.count == 1)
  }
}

@Suite struct HouseholdChoiceTests {
  private typealias Other = (household: String, standing: ZoneFacts.Standing)

  private func chosen(_ own: Other, _ others: Other...) -> String {
    var choice = HouseholdChoice(own.household, own.standing)
    _ = choice.choose(among: others, now: 0)
    return choice.household
  }

  @Test func whoWasThereFirstCounts() {
    #expect(chosen(("b", .fresh), ("a", .fresh)) == "a")
    #expect(chosen(("a", .fresh), ("b", .fresh)) == "a")
    #expect(chosen(("a", .fresh), ("b", .settled)) == "b")
    #expect(chosen(("b", .settled), ("a", .fresh)) == "b")
    #expect(chosen(("b", .settled), ("a", .settled)) == "a")
    #expect(chosen(("a", .settled), ("b", .configured)) == "b")
    #expect(chosen(("b", .configured), ("a", .configured)) == "b")
  }

  @Test func whoSharesItStaysInIt() {
    var choice = HouseholdChoice("a", .fresh)
    let alone: [Other] = []
    #expect(choice.choose(among: alone, now: 0) == false)
    #expect(choice.standing == .fresh)
    let two: [Other] = [("a", .settled)]
    #expect(choice.choose(among: two, now: 0) == true)
    #expect(choice.standing == .settled && choice.household == "a")
    #expect(choice.choose(among: alone, now: 0) == false)
    #expect(choice.household == "a")
  }

  @Test func nobodyMovesItForEver() {
    var choice = HouseholdChoice("z", .settled)
    var moves = 0
    for step in 0..<25 {
      let other: [Other] = [(String(UnicodeScalar(UInt8(121 - step))), .settled)]
      if choice.choose(among: other, now: step) { moves += 1 }
    }
    #expect(moves == HouseholdChoice.mostMoves)
    let last: [Other] = [("!", .settled)]
    #expect(choice.choose(among: last, now: 4000) == true)
  }

  /// Several zones, each of which learns of the others at any time and from old messages, come to one household.
  @Test(arguments: 0..<300)
  func theyComeToOne(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let names = ["a", "b", "c", "d"]
    var zones = (0..<4).map { _ in
      HouseholdChoice(
        names.randomElement(using: &random) ?? "a", Bool.random(using: &random) ? .fresh : .settled)
    }
    if seed % 3 == 0 { zones[0] = HouseholdChoice("z", .configured) }
    // What each of them has heard of the others.
    var heard = [[Int: Other]](repeating: [:], count: 4)
    var queues = [[(Int, Other)]](repeating: [], count: 16)
    func tell(_ zone: Int) {
      for other in 0..<4 where other != zone {
        queues[zone * 4 + other].append((zone, (zones[zone].household, zones[zone].standing)))
      }
    }
    for zone in 0..<4 { tell(zone) }
    var steps = 0
    while let way = queues.indices.filter({ !queues[$0].isEmpty }).randomElement(using: &random),
      steps < 10_000
    {
      steps += 1
      let (from, said) = queues[way].removeFirst()
      let to = way % 4
      heard[to][from] = said
      if zones[to].choose(among: Array(heard[to].values), now: steps * 1000) { tell(to) }
    }
    #expect(steps < 10_000 && Set(zones.map(\.household)).count == 1)
    if seed % 3 == 0 { #expect(zones[1].household == "z") }
  }
}

@Suite struct ZoneGroupVolumeTests {
  @Test func ratiosAreKept() {
    #expect(ZoneGroupVolume.scaled(["a": 20, "b": 40], to: 15) == ["a": 10, "b": 20])
    #expect(ZoneGroupVolume.scaled(["a": 0, "b": 0], to: 15) == ["a": 15, "b": 15])
    #expect(ZoneGroupVolume.scaled(["a": 10, "b": 100], to: 100) == ["a": 100, "b": 100])
    #expect(ZoneGroupVolume.scaled(["a": 20, "b": 80], to: 80) == ["a": 60, "b": 100])
  }

  @Test func theSnapshotSurvivesSilence() {
    var volume = ZoneGroupVolume()
    volume.snapshot(["a": 20, "b": 40])
    #expect(volume.move(["a": 20, "b": 40], to: 0) == ["a": 0, "b": 0])
    #expect(volume.move(["a": 0, "b": 0], to: 30) == ["a": 20, "b": 40])
    // Somebody has turned one of them: these are the ratios now.
    #expect(volume.move(["a": 40, "b": 40], to: 20) == ["a": 20, "b": 20])
  }

  @Test(arguments: 0..<200)
  func whatIsSetIsReadBack(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let zones = Int.random(in: 1...8, using: &random)
    let base = Dictionary(
      uniqueKeysWithValues: (0..<zones).map { ("\($0)", Int.random(in: 0...100, using: &random)) })
    for target in 0...100 {
      let levels = ZoneGroupVolume.scaled(base, to: target)
      #expect(ZoneGroupVolume.level(of: levels.values) == target)
      #expect(levels.count == zones && levels.values.allSatisfy((0...100).contains))
    }
  }
}
