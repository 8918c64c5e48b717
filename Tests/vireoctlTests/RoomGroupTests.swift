import Network
import Renderers
import Testing

/// Which rooms play together, and what is to be done so that they do.
@Suite struct RoomGroupTests {
  /// A room that sends at `ohz://NAME`, and listens to that of `other` if one is named.
  private func room(
    _ name: String, to other: String? = nil, _ state: Room.ReceiverState = .playing, active: Bool = true
  ) -> Room {
    var room = Room(udn: name, name: name.uppercased(), address: .v4(0xC000_0201))
    (room.canSend, room.canReceive) = (true, true)
    (room.senderURI, room.senderMetadata) = ("ohz://\(name)", "<\(name)/>")
    room.senderStatus = .ready
    if let other {
      (room.receiverURI, room.receiverMetadata) = ("ohz://\(other)", "<\(other)/>")
      (room.receiverState, room.isReceiverActive) = (state, active)
    }
    return room
  }

  private func sender(for room: Room, of host: Room, _ rooms: [Room]) -> Result<RoomSender, RoomFailure> {
    do throws(RoomFailure) {
      return .success(try RoomJoining.sender(for: room, of: host, among: rooms))
    } catch { return .failure(error) }
  }

  @Test func whoListensIsAMember() {
    let rooms = [
      room("b", to: "a"), room("a"), room("c", to: "a", .waiting), room("d", to: "a", .stopped),
      room("e", to: "a", active: false), room("f", to: "a", .buffering), room("g"),
    ]
    #expect(RoomGroups.of(rooms) == [RoomGroup(host: .room("a"), members: ["b", "c", "f"])])
    #expect(RoomGroups.of([room("a"), room("b")]) == [])
    #expect(RoomGroups.of([]) == [])
  }

  @Test func aSenderThatIsNoRoomIsAHost() {
    let rooms = [room("a"), room("b", to: "x"), room("c", to: "a"), room("d", to: "x"), room("e", to: "y")]
    #expect(
      RoomGroups.of(rooms) == [
        RoomGroup(host: .room("a"), members: ["c"]),
        RoomGroup(host: .foreign("ohz://x"), members: ["b", "d"]),
        RoomGroup(host: .foreign("ohz://y"), members: ["e"]),
      ])
  }

  @Test func chainsLeadToTheOneThatPlays() {
    let rooms = [room("c", to: "b"), room("b", to: "a"), room("a"), room("e", to: "d"), room("d", to: "x")]
    #expect(
      RoomGroups.of(rooms) == [
        RoomGroup(host: .room("a"), members: ["c", "b"]),
        RoomGroup(host: .foreign("ohz://x"), members: ["e", "d"]),
      ])
    #expect(RoomGroups.host(of: rooms[0], among: rooms) == .room("a"))
    #expect(RoomGroups.host(of: rooms[2], among: rooms) == .room("a"))
    // A member that has stopped is no way to anybody.
    #expect(
      RoomGroups.of([room("c", to: "b"), room("b", to: "a", .stopped), room("a")])
        == [RoomGroup(host: .room("b"), members: ["c"])])
  }

  @Test func loopsEnd() {
    let two = [room("c", to: "b"), room("b", to: "a"), room("a", to: "b")]
    #expect(RoomGroups.of(two) == [RoomGroup(host: .room("a"), members: ["c", "b"])])
    #expect(RoomGroups.of([room("a", to: "a")]) == [])
    let three = [room("d", to: "c"), room("c", to: "b"), room("b", to: "a"), room("a", to: "c")]
    #expect(RoomGroups.of(three) == [RoomGroup(host: .room("a"), members: ["d", "c", "b"])])
  }

  @Test func itIsTheSenderOfTheOneThatPlays() {
    let (a, b, c) = (room("a"), room("b", to: "a"), room("c"))
    let wanted = RoomSender(uri: "ohz://a", metadata: "<a/>")
    #expect(sender(for: c, of: a, [a, b, c]) == .success(wanted))
    #expect(sender(for: c, of: b, [a, b, c]) == .success(wanted))
    // Of whoever isn't found, as the host has it.
    #expect(sender(for: c, of: b, [b, c]) == .success(wanted))
    // A host with members of its own is moved alone.
    #expect(sender(for: a, of: c, [a, b, c]) == .success(RoomSender(uri: "ohz://c", metadata: "<c/>")))
  }

  @Test func whatCannotBeIsRefused() {
    let (a, b) = (room("a"), room("b", to: "a"))
    #expect(sender(for: a, of: a, [a]) == .failure(.itself("A")))
    #expect(sender(for: a, of: b, [a, b]) == .failure(.listens(host: "B", to: "A")))
    #expect(sender(for: a, of: room("c", to: "b"), [a, b]) == .failure(.listens(host: "C", to: "A")))
    var (deaf, mute, off) = (room("d"), room("m"), room("o"))
    deaf.canReceive = false
    mute.senderURI = nil
    off.senderStatus = .disabled
    #expect(sender(for: deaf, of: a, [a, deaf]) == .failure(.cannotReceive("D")))
    #expect(sender(for: a, of: mute, [a, mute]) == .failure(.cannotSend("M")))
    #expect(sender(for: a, of: off, [a, off]) == .failure(.senderOff("O")))
    #expect(RoomFailure.itself("A").words == "A can't listen to itself")
  }

  @Test func whoListensAlreadyIsNotInterrupted() {
    let wanted = RoomSender(uri: "ohz://a", metadata: "")
    #expect(!RoomJoining.isNeeded(wanted, for: room("b", to: "a")))
    #expect(!RoomJoining.isNeeded(wanted, for: room("b", to: "a", .waiting)))
    #expect(RoomJoining.isNeeded(wanted, for: room("b", to: "a", .stopped)))
    #expect(RoomJoining.isNeeded(wanted, for: room("b", to: "a", active: false)))
    #expect(RoomJoining.isNeeded(wanted, for: room("b", to: "c")))
    var asleep = room("b", to: "a")
    asleep.isStandby = true
    #expect(RoomJoining.isNeeded(wanted, for: asleep))
  }

  @Test func onlyListenersLeave() throws {
    let rooms = [room("a"), room("b", to: "a"), room("c", to: "a", .stopped), room("d")]
    #expect(try RoomJoining.mayLeave(rooms[1], among: rooms))
    // It has stopped, but its receiver is still the source.
    #expect(try RoomJoining.mayLeave(rooms[2], among: rooms))
    #expect(try !RoomJoining.mayLeave(rooms[3], among: rooms))
    #expect(throws: RoomFailure.isHost("A", members: ["B"])) {
      try RoomJoining.mayLeave(rooms[0], among: rooms)
    }
  }

  @Test(arguments: [
    ("<DIDL-Lite><item><res>ohz://239.255.255.250:51972/a</res><res>ohm://x</res></item></DIDL-Lite>", true),
    ("<DIDL-Lite><item><res>OHU://192.0.2.1:5</res></item></DIDL-Lite>", true),
    ("<DIDL-Lite><item><res>http://192.0.2.1/a.flac</res></item></DIDL-Lite>", false),
    ("<DIDL-Lite><item><res>ohz://a b</res></item></DIDL-Lite>", false),
    ("<DIDL-Lite><item></item></DIDL-Lite>", false), ("", false), ("NOT_IMPLEMENTED", false),
    ("<DIDL-Lite><item><res>ohz://\(String(repeating: "a", count: 700))</res></item></DIDL-Lite>", false),
    (
      "<DIDL-Lite><item><res>ohz://a</res><desc>\(String(repeating: "a", count: 17_000))</desc></item></DIDL-Lite>",
      false
    ),
  ])
  func sendersAreReadFromTheirMetadata(metadata: String, isOne: Bool) {
    let sender = RoomSender(metadata: metadata)
    #expect((sender != nil) == isOne)
    if let sender { #expect(sender.metadata == metadata && sender.uri.lowercased().hasPrefix("oh")) }
  }

  @Test func oldSendersHaveAStatusToo() {
    #expect(Room.SenderStatus(status: "Enabled", hasAudio: true) == .sending)
    #expect(Room.SenderStatus(status: "Enabled", hasAudio: false) == .ready)
    #expect(Room.SenderStatus(status: "Blocked", hasAudio: false) == .blocked)
    #expect(Room.SenderStatus(status: "Disabled", hasAudio: true) == .disabled)
    #expect(Room.SenderStatus(status: "", hasAudio: true) == nil)
    #expect(Room.ReceiverState(wire: "Waiting") == .waiting && Room.ReceiverState(wire: "?") == .stopped)
  }

  /// Whatever rooms say, every one is in one group at most, and no host is a member.
  @Test func anyRoomsMakeGroups() {
    var number: UInt64 = 1
    func random(_ bound: Int) -> Int {
      number = number &* 6_364_136_223_846_793_005 &+ 1
      return Int(number >> 33) % bound
    }
    for _ in 0..<2000 {
      let rooms = (0..<8).map { index in
        random(3) == 0
          ? room("\(index)") : room("\(index)", to: "\(random(10))", random(5) == 0 ? .stopped : .playing)
      }
      let groups = RoomGroups.of(rooms)
      let all = groups.flatMap(\.udns)
      #expect(Set(all).count == all.count)
      #expect(groups.allSatisfy { !$0.members.isEmpty })
      for room in rooms where !room.isListening {
        #expect(!groups.contains { $0.members.contains(room.udn) })
      }
    }
  }
}

@Suite struct GroupVolumeTests {
  private func room(_ udn: String, _ volume: Int?, limit: Int? = 100, muted: Bool? = false) -> Room {
    var room = Room(udn: udn, name: udn, address: .v4(1))
    (room.volume, room.volumeLimit, room.isMuted) = (volume, limit, muted)
    return room
  }

  private func plan(_ change: GroupVolume.Change, _ rooms: [Room], host: String? = "a") -> [Int] {
    GroupVolume.plan(change, rooms: rooms, host: host).map(\.volume)
  }

  @Test func allAreMovedByTheSameSteps() {
    let rooms = [room("a", 40), room("b", 20), room("c", nil), room("d", 90)]
    #expect(plan(.by(5), rooms) == [45, 25, 95])
    #expect(plan(.by(-5), rooms) == [35, 15, 85])
    #expect(plan(.to(30), rooms) == [30, 10, 80])
    #expect(GroupVolume.level(of: rooms, host: "a") == 40)
    // Without the host's the loudest counts.
    #expect(GroupVolume.level(of: rooms, host: nil) == 90 && GroupVolume.level(of: rooms, host: "c") == 90)
    #expect(plan(.to(80), rooms, host: nil) == [30, 10, 80])
    #expect(GroupVolume.level(of: [room("c", nil)], host: "c") == nil && plan(.by(1), [room("c", nil)]) == [])
  }

  @Test func eachEndsAtItsLimit() {
    let rooms = [room("a", 40), room("b", 20, limit: 25), room("d", 90), room("e", 95, limit: 80)]
    #expect(plan(.by(20), rooms) == [60, 25, 100, 95])
    #expect(plan(.by(-50), rooms) == [0, 0, 40, 45])
    #expect(plan(.by(5), [room("a", 40, limit: nil)]) == [45])
    // A slider that goes there and back begins with the same rooms.
    #expect(plan(.to(40), rooms) == [40, 20, 90, 95])
  }

  @Test func absurdVolumesAreBounded() {
    let rooms = [room("a", .max, limit: .max), room("b", .min, limit: 10)]
    #expect(plan(.by(.max), rooms) == [100_000, 10])
    #expect(plan(.by(.min), rooms) == [0, 0])
    #expect(plan(.to(.min), rooms) == [0, 0] && plan(.to(.max), rooms) == [100_000, 0])
  }

  @Test func aGroupIsMutedIfAllAre() {
    #expect(GroupVolume.isMuted([room("a", 1, muted: true), room("b", 1, muted: nil)]) == true)
    #expect(GroupVolume.isMuted([room("a", 1, muted: true), room("b", 1)]) == false)
    #expect(GroupVolume.isMuted([room("a", 1, muted: nil)]) == nil)
  }
}
