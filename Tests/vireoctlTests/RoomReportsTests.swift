import Network
import Renderers
import Testing

@testable import vireoctl

/// What Vireos say of how well their rooms keep time, and how people are told.
@Suite struct RoomReportsTests {
  private static let text = """
    {"sending": true, "listeners": [{"address": "192.0.2.7", "state": "playing", "offset": -35, "p95": 120, "rate": 1200,
      "loss": 0, "buffer": 280000, "lost": 0, "repaired": 3, "seen": 0.4}], "listening": null}
    """

  private func read(_ text: String) -> RoomReports? { RoomReports(reading: Array(text.utf8)) }

  private func room(_ name: String, _ address: String, to uri: String = "ohz://a") -> Room {
    var room = Room(udn: name, name: name, address: IPAddress(address) ?? .v4(0))
    (room.canSend, room.canReceive, room.isReceiverActive) = (true, true, true)
    (room.receiverURI, room.receiverState) = (uri, .playing)
    return room
  }

  private func host() -> Room {
    var room = Room(udn: "a", name: "a", address: .v4(0xC000_0201))
    room.senderURI = "ohz://a"
    return room
  }

  @Test func figuresAreRead() throws {
    let all = try #require(read(Self.text))
    #expect(all.isSending && all.listening == nil && all.listeners.count == 1)
    let figures = all.listeners[0]
    #expect(figures.address == IPAddress("192.0.2.7") && figures.state == .playing)
    #expect(figures.offset == -35 && figures.p95 == 120 && figures.rate == 1200 && figures.loss == 0)
    #expect(figures.buffer == 280_000 && figures.lost == 0 && figures.repaired == 3 && figures.seen == 0.4)
    let listening = try #require(
      read(#"{"sending": false, "listening": {"state": "joining", "offset": 7}}"#))
    #expect(
      !listening.isSending && listening.listening?.state == .joining && listening.listening?.offset == 7)
  }

  @Test func whatMakesNoSenseIsLeftOut() throws {
    for text in ["", "[]", "null", "{", #"{"listeners": [}"#] { #expect(read(text) == nil) }
    let odd = try #require(
      read(
        #"{"sending": 1, "listeners": [1, null, {"address": 5, "state": "asleep", "offset": 1e300, "seen": -1}], "listening": []}"#
      ))
    #expect(!odd.isSending && odd.listening == nil)
    #expect(odd.listeners == [RoomReports.Figures()])
    let many = "{\"listeners\": [\(Array(repeating: "{}", count: 500).joined(separator: ","))]}"
    #expect(try #require(read(many)).listeners.count == 64)
    #expect(read("{\"a\": \"\(String(repeating: "a", count: 70_000))\"}") == nil)
  }

  @Test func listenersAreRooms() throws {
    let rooms = [host(), room("b", "192.0.2.7"), room("c", "192.0.2.8")]
    let group = try #require(RoomGroups.of(rooms).first)
    var own = RoomReports()
    own.listening = RoomReports.Figures()
    own.listening?.offset = 9
    var reports = ["a": try #require(read(Self.text)), "c": own]
    let shown = RoomFigures.of(group, rooms, reports: reports)
    #expect(shown.map(\.name) == ["b", "c"] && shown.map(\.figures?.offset) == [-35, 9])
    #expect(shown.allSatisfy { $0.host == "a" })
    // One that isn't found, and one that says nothing.
    reports["a"]?.listeners[0].address = IPAddress("192.0.2.99")
    reports["c"] = nil
    let others = RoomFigures.of(group, rooms, reports: reports)
    #expect(
      others.map(\.name) == ["b", "c", "192.0.2.99"] && others.map(\.figures?.offset) == [nil, nil, -35])
    #expect(others[0].words == "doesn't say how well it keeps time")
  }

  @Test func twoRoomsAtOneAddressAreNotTakenForEachOther() throws {
    let rooms = [host(), room("b", "192.0.2.7"), room("c", "192.0.2.7")]
    let group = try #require(RoomGroups.of(rooms).first)
    let reports = try #require(read(Self.text))
    let shown = RoomFigures.of(group, rooms, reports: ["a": reports])
    #expect(shown.map(\.name) == ["b", "c", "192.0.2.7"] && shown[0].figures == nil)
    var own = RoomReports()
    own.listening = RoomReports.Figures()
    #expect(RoomFigures.of(group, rooms, reports: ["a": reports, "b": own]).map(\.name) == ["b", "c"])
  }

  private func words(
    state: RoomReports.Figures.State? = .playing, _ offset: Int?, p95: Int? = nil, loss: Int? = nil,
    buffer: Int? = nil, lost: Int? = nil
  ) -> String {
    var figures = RoomReports.Figures()
    (figures.state, figures.offset, figures.p95) = (state, offset, p95)
    (figures.loss, figures.buffer, figures.lost) = (loss, buffer, lost)
    return RoomFigures(host: "a", name: "b", udn: "b", figures: figures).words
  }

  @Test func peopleAreToldInPlainWords() {
    #expect(
      words(-35, p95: 120, loss: 0, buffer: 280_400, lost: 0)
        == "0.04 ms late, 95 % within 0.12 ms, nothing lost, 280 ms in store")
    #expect(words(2500, loss: 13, lost: 2) == "2.50 ms early, 1.3 % lost on the way, 2 packets never heard")
    #expect(words(0, p95: 45_678, loss: 1000) == "in step, 95 % within 46 ms, 100 % lost on the way")
    #expect(words(.min, p95: .max).hasSuffix("ms"))
    #expect(words(nil) == "playing" && words(state: .silent, 5) == "hears nothing")
    #expect(words(state: .joining, 5) == "joining" && words(state: .ready, nil) == "ready to start")
  }

  @Test func programsGetFigures() {
    var figures = RoomReports.Figures()
    (figures.state, figures.offset, figures.p95, figures.seen) = (.playing, -35, 120, 0.5)
    let report = RoomFigures(host: "Living\tRoom", name: "b", udn: nil, figures: figures).report(.plain)
    #expect(report.lines(.plain) == ["Living Room\tb\tplaying\t-35\t120\t\t\t\t"])
    #expect(
      report.json.text
        == #"{"host": "Living\tRoom", "room": "b", "state": "playing", "offset": -35, "p95": 120, "seen": 0.5}"#
    )
  }
}

/// How rooms are listed.
@Suite struct RoomListTests {
  private func room(_ name: String, to uri: String = "") -> Room {
    var room = Room(udn: "udn-\(name)", name: name, address: .v4(0xC000_0201))
    (room.canSend, room.canReceive, room.senderURI) = (true, true, "ohz://\(name)")
    (room.receiverURI, room.isReceiverActive) = (uri, !uri.isEmpty)
    (room.state, room.volume, room.isMuted) = (.playing, 40, false)
    if !uri.isEmpty { room.receiverState = .playing }
    return room
  }

  @Test func membersAreBelowTheirHosts() {
    var (kitchen, bath) = (room("Kitchen", to: "ohz://Living"), room("Bath", to: "ohz://Living"))
    (kitchen.receiverState, kitchen.isMuted) = (.waiting, true)
    (bath.title, bath.artist) = ("Army of Me", "Björk")
    var hall = room("Hall", to: "ohz://far")
    hall.receiverMetadata = """
      <DIDL-Lite xmlns:dc="http://purl.org/dc/elements/1.1/"><item><dc:title>Linn</dc:title></item></DIDL-Lite>
      """
    var office = room("Office")
    (office.isStandby, office.volume) = (true, nil)
    let report = RoomList.report([bath, hall, kitchen, room("Living"), office])
    #expect(
      report.lines(.plain) == [
        "Living\tplaying\t40\t\t", "  Bath\tplaying\t40\tBjörk – Army of Me\tLiving",
        "  Kitchen\twaiting\t40 (muted)\t\tLiving", "Linn (not found)\t\t\t\t",
        "  Hall\tplaying\t40\t\tLinn (not found)", "Office\tstandby\t\t\t",
      ])
    #expect(
      report.json.text.contains(
        """
        "groups": [{"name": "Living", "host": "udn-Living", "members": ["udn-Bath", "udn-Kitchen"]}, \
        {"name": "Linn (not found)", "sender": "ohz://far", "members": ["udn-Hall"]}]
        """))
    #expect(RoomList.report([]).lines(.plain) == [])
  }

  @Test func volumesOfAGroup() {
    var quiet = room("Quiet")
    (quiet.volume, quiet.isMuted) = (5, true)
    let report = GroupVolumeReport.report([room("Loud"), quiet], host: "udn-Loud")
    #expect(report.lines(.plain) == ["Loud\t40\t", "Quiet\t5\tmuted"])
    #expect(report.json.text.hasPrefix(#"{"volume": 40, "mute": false, "rooms": [{"name": "Loud""#))
  }

  @Test func volumesThatUsersName() {
    #expect(GroupTarget("30") == .volume(.to(30)) && GroupTarget("+5") == .volume(.by(5)))
    #expect(GroupTarget("-5") == .volume(.by(-5)) && GroupTarget("mute") == .mute(true))
    #expect(GroupTarget("unmute") == .mute(false) && GroupTarget("loud") == nil && GroupTarget("") == nil)
  }
}
