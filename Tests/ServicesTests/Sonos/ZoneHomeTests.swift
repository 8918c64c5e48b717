import Foundation
import Player
import Synchronization
import Testing
import UPnP

@testable import Services

@Suite struct ZoneHomeTests {
  private final class Record: Sendable {
    let kept = Mutex<[String]>([])
    let changes = Mutex<[Bool]>([])
  }

  private let speaker = Speaker()
  private let record = Record()

  private func home(notes: String? = nil, household: String = "") -> ZoneHome {
    ZoneHome(
      identity: ZoneIdentity(hash: Array(0..<32), household: household, bootSequence: 7),
      player: speaker.player, room: "Kitchen & \"Co\"", notes: notes,
      surroundings: ZoneHome.Surroundings(
        address: { "192.0.2.7" }, clock: { (seconds: 1_769_858_373, offset: 3600) },
        keep: { [record] notes in record.kept.withLock { $0.append(notes) } },
        changed: { [record] isRenamed in record.changes.withLock { $0.append(isRenamed) } }))
  }

  @Test func theIdentityFitsTogether() {
    let identity = home().identity
    // Controllers make the UID of the hardware address, and the address of the serial number.
    let digits = identity.hardwareAddressText.replacing(":", with: "")
    #expect(identity.uid == "RINCON_\(digits)01400" && identity.uid.utf8.count == 24)
    #expect(identity.serialNumber.split(separator: ":")[0].replacing("-", with: "") == digits)
    #expect(identity.hardwareAddress[0] & 0x03 == 0x02, "locally administered, of one station")
    #expect(identity.household.hasPrefix("Sonos_") && identity.household.utf8.count == 32)
    #expect(identity == home().identity)
    #expect(home(household: "Sonos_x").identity.household == "Sonos_x")
    #expect(
      ZoneIdentity(hash: Array(repeating: 0xff, count: 32), household: "", bootSequence: 0).bootSequence == 1)
  }

  @Test func theTopologyListsThisZone() throws {
    let service = ZoneTopologyService(home: home(), neighbours: NoZoneNeighbours())
    let state = try #require(try speaker.call(service, "GetZoneGroupState")["ZoneGroupState"])
    let uid = home().identity.uid
    #expect(state.hasPrefix("<ZoneGroupState><ZoneGroups><ZoneGroup Coordinator=\"\(uid)\" ID=\"\(uid):"))
    #expect(state.contains("Location=\"http://192.0.2.7:1400/xml/device_description.xml\""))
    #expect(state.contains("ZoneName=\"Kitchen &amp; &quot;Co&quot;\""))
    #expect(state.hasSuffix("</ZoneGroups><VanishedDevices></VanishedDevices></ZoneGroupState>"))
    // What would make controllers hide it, or take it for a part of another one.
    for word in ["Invisible", "IsZoneBridge", "ChannelMapSet", "Satellite"] { #expect(!state.contains(word)) }
    #expect(state.components(separatedBy: "<ZoneGroupMember ").count == 2)
    let attributes = try speaker.call(service, "GetZoneGroupAttributes")
    #expect(attributes["CurrentZonePlayerUUIDsInGroup"] == uid)
    #expect(attributes["CurrentZoneGroupID"] == home().group.id)
    #expect(service.eventedValues().count == 11)
    #expect(service.sendsWholeEvents)
  }

  @Test func aRoomIsRenamed() throws {
    let home = home()
    let service = ZonePropertiesService(home: home)
    try speaker.call(service, "SetZoneAttributes", ["DesiredZoneName": "Bath", "DesiredIcon": "null"])
    let attributes = try speaker.call(service, "GetZoneAttributes")
    #expect(attributes["CurrentZoneName"] == "Bath")
    #expect(attributes["CurrentIcon"] == "x-rincon-roomicon:living")
    #expect(record.changes.withLock { $0 } == [true])
    // It outlives the daemon, and the configured name is only for where there is none.
    let stored = try #require(record.kept.withLock { $0.last })
    #expect(self.home(notes: stored).room == "Bath")
    #expect(
      try speaker.fault(
        service, "SetZoneAttributes", ["DesiredZoneName": String(repeating: "x", count: 129)]) == 605)
  }

  /// Whichever is newer counts: what a controller has set, or the configuration.
  @Test func theConfigurationReplacesAnOlderName() throws {
    let home = home()
    try speaker.call(
      ZonePropertiesService(home: home), "SetZoneAttributes", ["DesiredZoneName": "Bath", "DesiredIcon": ""])
    let stored = try #require(record.kept.withLock { $0.last })
    #expect(ZoneNotes(stored: ZoneNotes(stored: stored).stored) == ZoneNotes(stored: stored))
    home.setRoom("Kitchen & \"Co\"")
    #expect(home.room == "Bath" && home.givenRoom == "Bath")
    home.setRoom("Hall")
    #expect(home.room == "Hall" && home.givenRoom == nil)
    let later = ZoneHome(
      identity: home.identity, player: speaker.player, room: "Attic", notes: stored,
      surroundings: home.surroundings)
    #expect(later.room == "Attic")
    #expect(self.home(notes: stored).room == "Bath")
  }

  @Test(arguments: [
    ("Bath\nroom", "Bath room"), ("  Bath ", "Bath"), ("\u{200b}\u{2060}", nil), ("null", nil),
    ("\u{7f}\t", nil),
    ("Küche 🛋️", "Küche 🛋️"), (String(repeating: "x", count: 63), String(repeating: "x", count: 63)),
  ])
  func namesOfRoomsAreOneLine(sent: String, taken: String?) throws {
    let home = home()
    try speaker.call(ZonePropertiesService(home: home), "SetZoneAttributes", ["DesiredZoneName": sent])
    #expect(home.givenRoom == taken)
  }

  @Test func namesOfRoomsAreChecked() throws {
    let service = ZonePropertiesService(home: home())
    for long in [
      String(repeating: "x", count: 64), String(repeating: "é", count: 65),
      String(repeating: "x", count: 200_000),
    ] {
      #expect(try speaker.fault(service, "SetZoneAttributes", ["DesiredZoneName": long]) == 605)
    }
  }

  @Test func theLampIsStored() throws {
    let home = home()
    let service = ZonePropertiesService(home: home)
    #expect(try speaker.call(service, "GetLEDState") == ["CurrentLEDState": "On"])
    try speaker.call(service, "SetLEDState", ["DesiredLEDState": "Off"])
    try speaker.call(service, "SetButtonLockState", ["DesiredButtonLockState": "On"])
    let notes = ZoneNotes(stored: try #require(record.kept.withLock { $0.last }))
    #expect(!notes.isLit && notes.isLocked)
    #expect(record.changes.withLock { $0 } == [false, false])
  }

  /// An answer instead of a fault would make Home Assistant offer a television.
  @Test func whatItHasNotIsRefused() throws {
    let home = home()
    let properties = ZonePropertiesService(home: home)
    #expect(try speaker.fault(properties, "GetAutoplayRoomUUID", ["Source": "TV"]) == 800)
    #expect(try speaker.fault(properties, "CreateStereoPair", ["ChannelMapSet": "x"]) == 800)
    #expect(try speaker.fault(ZoneAlarmService(home: home), "DestroyAlarm", ["ID": "1"]) == 800)
    #expect(try speaker.fault(ZoneGroupService(home: home), "RemoveMember", ["MemberID": "x"]) == 800)
    #expect(try speaker.fault(ZoneQPlayService(), "QPlayAuth", ["Seed": "1"]) == 800)
  }

  @Test func thereAreNoAlarmsAndNoServices() throws {
    let home = home()
    let alarms = try speaker.call(ZoneAlarmService(home: home), "ListAlarms")
    #expect(alarms["CurrentAlarmList"] == "<Alarms></Alarms>")
    #expect(alarms["CurrentAlarmListVersion"] == "\(home.identity.uid):1")
    let time = try speaker.call(ZoneAlarmService(home: home), "GetTimeNow")
    #expect(time["CurrentUTCTime"] == "2026-01-31 11:19:33")
    #expect(time["CurrentLocalTime"] == "2026-01-31 12:19:33")
    let services = try speaker.call(ZoneMusicService(identity: home.identity), "ListAvailableServices")
    #expect(services["AvailableServiceDescriptorList"] == "<Services SchemaVersion=\"1\"></Services>")
  }

  @Test func stringsAreKeptWithinBounds() throws {
    let home = home()
    let service = ZoneSystemService(home: home)
    #expect(
      try speaker.call(service, "GetString", ["VariableName": "R_TrialZPSerial"])
        == ["StringValue": home.identity.serialNumber])
    #expect(try speaker.fault(service, "GetString", ["VariableName": "a"]) == 800)
    try speaker.call(service, "SetString", ["VariableName": "a", "StringValue": "1 %2\n&"])
    #expect(try speaker.call(service, "GetString", ["VariableName": "a"]) == ["StringValue": "1 %2\n&"])
    #expect(self.home(notes: record.kept.withLock { $0.last }).notes == home.notes)
    try speaker.call(service, "Remove", ["VariableName": "a"])
    #expect(try speaker.fault(service, "Remove", ["VariableName": "a"]) == 800)
    for number in 0..<ZoneNotes.maximumStrings {
      try speaker.call(service, "SetString", ["VariableName": "v\(number)", "StringValue": "x"])
    }
    #expect(try speaker.fault(service, "SetString", ["VariableName": "more", "StringValue": "x"]) == 501)
    let long = String(repeating: "x", count: ZoneNotes.maximumStringLength + 1)
    #expect(try speaker.fault(service, "SetString", ["VariableName": "v1", "StringValue": long]) == 501)
  }

  @Test(arguments: [
    "", "\n", "name", "string a", "name a\ninstead-of b", "instead-of", "name a\nname b\nicon %ff",
    "string %00 %00", "locked\nlocked", "icon a b c", "name %", "dark x", "\u{0}", "name %zz",
    "goodbye a 5", "goodbye a x", "goodbye a -5", "goodbye", "goodbye %00 99999999999999999999",
  ])
  func whateverIsStoredIsRead(text: String) {
    let notes = ZoneNotes(stored: text)
    #expect(ZoneNotes(stored: notes.stored) == notes)
  }

  @Test(arguments: ["\u{301}a", "a\u{301}", "\u{fe0f}", "a\r\nb", "\u{2028}", "é %20 \u{200d}", "\u{fffe}"])
  func anyTextIsReadAsItWasStored(text: String) {
    var notes = ZoneNotes()
    #expect(notes.setString(text, to: text) && notes.setString("x", to: text))
    _ = notes.set(name: text, icon: text, configured: text)
    let read = ZoneNotes(stored: notes.stored)
    // Strings are equal whose bytes aren't.
    #expect(read == notes && read.stored == notes.stored)
    #expect(read.strings["x"].map { Array($0.utf8) } == Array(text.utf8))
  }

  @Test func theCalendar() {
    #expect(CalendarTime.text(0) == "1970-01-01 00:00:00")
    #expect(CalendarTime.text(951_782_399) == "2000-02-28 23:59:59")
    #expect(CalendarTime.text(951_782_400) == "2000-02-29 00:00:00")
    #expect(CalendarTime.text(4_107_542_400) == "2100-03-01 00:00:00")
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
    for seconds in stride(from: 0, to: 20_000_000_000, by: 98_765_431) {
      #expect(
        CalendarTime.text(seconds) == formatter.string(from: Date(timeIntervalSince1970: Double(seconds))))
    }
  }

  @Test func theDeviceHasItsPlaces() throws {
    let device = ZoneDevice.device(home(), manufacturer: "Somebody", icon: nil)
    #expect(device.devices.map(\.udn) == ["_MS", "_MR"].map { home().identity.uid + $0 })
    #expect(Set(device.services.map(\.identity.name)).count == 8)
    #expect(device.friendlyName.count <= 63)
    #expect(device.extraElements.contains("<roomName>Kitchen &amp; \"Co\"</roomName>"))
    // Controllers read the name of the software and of the model from it.
    #expect(ZoneDevice.server.contains("Sonos/85.0-64200 ("))
    // Controllers load these, and see only actions with a list of arguments.
    for service in device.services {
      let text = service.scpd.head + service.scpd.tail
      #expect(!text.contains("<defaultValue>"))
      #expect(
        text.components(separatedBy: "<argumentList>").count == service.description.actions.count + 1)
    }
  }
}
