import NIOCore
import Network
import Testing
import UPnP

@testable import ControlPoint

@Suite struct DeviceTableTests {
  private static let minute = TimeAmount.minutes(1)

  private func found() -> TableRig {
    var rig = TableRig()
    rig.hear(TableRig.notice())
    rig.answer(TableRig.document())
    _ = rig.told()
    return rig
  }

  @Test func aDeviceIsDescribedAndShown() throws {
    var rig = TableRig()
    rig.hear(TableRig.notice(udn: "A"))
    #expect(rig.asked.map(\.url) == ["http://192.168.1.9:80/d.xml"])
    #expect(rig.told().isEmpty)
    rig.answer(TableRig.document("a"))
    #expect(rig.told() == ["appeared A"])
    let device = try #require(rig.table.devices.first)
    #expect(device.udn == "A" && device.bootID == 1 && device.type == TableRig.server)
    let service = try #require(device.service("urn:schemas-upnp-org:service:S0"))
    // By which its subscriptions are told what becomes of it.
    #expect(service.udn == "A")
    #expect(service.control.target == "/control" && service.control.port == 80 && service.events == nil)
    rig.hear(TableRig.notice(udn: "A"))
    #expect(rig.asked.isEmpty && rig.told().isEmpty)
  }

  @Test func whatNobodyLooksForIsNotDescribed() {
    var rig = TableRig()
    rig.hear(TableRig.notice(target: "upnp:rootdevice"))
    rig.hear(TableRig.notice(target: "urn:schemas-upnp-org:device:BinaryLight:1"))
    rig.hear(TableRig.notice(target: "urn:schemas-upnp-org:device:MediaServers:1"))
    #expect(rig.table.entries.isEmpty && rig.asked.isEmpty)
    rig.hear(TableRig.notice(target: "urn:schemas-upnp-org:device:MediaServer:4"))
    #expect(rig.asked.count == 1)
  }

  @Test func oneDeviceIsLookedForByItsUDN() {
    var rig = TableRig(kinds: [.udn("Ab")])
    rig.hear(TableRig.notice(udn: "abc"))
    #expect(rig.table.entries.isEmpty && rig.asked.isEmpty)
    // Any of its announcements will do.
    rig.hear(TableRig.notice(udn: "aB"))
    rig.answer(TableRig.document("AB"))
    #expect(rig.told() == ["appeared A"])
    #expect(DeviceKind.udn("Ab").searchTarget == "uuid:Ab")
    // What is no value of a header field isn't sent.
    #expect(DeviceKind.udn("a\r\nST: b").searchTarget == "upnp:rootdevice")
  }

  @Test(
    arguments: [
      (nil, 1800), (1, 60), (60, 60), (600, 600), (1800, 1800), (86400, 1800),
    ] as [(Int?, Int)])
  func itExpiresAfterOneMoreQuestion(maxAge: Int?, seconds: Int) {
    var rig = TableRig()
    rig.hear(TableRig.notice(maxAge: maxAge))
    rig.answer(TableRig.document())
    _ = rig.told()
    rig.advance(.seconds(Int64(seconds) + 4))
    #expect(rig.asked.isEmpty)
    rig.advance(.seconds(1))
    #expect(rig.asked.count == 1 && rig.told().isEmpty)
    rig.answer(TableRig.document())
    #expect(rig.told().isEmpty)
    rig.advance(.seconds(Int64(seconds) + 5))
    #expect(rig.asked.count == 1)
    rig.answer(nil)
    #expect(rig.told() == ["expired A"] && rig.table.entries.isEmpty)
    #expect(rig.table.nextDeadline == nil)
  }

  @Test func whatSpeaksDuringTheQuestionStays() {
    var rig = found()
    rig.advance(.seconds(1805))
    rig.advance(.seconds(1))
    rig.hear(TableRig.notice())
    rig.answer(nil)
    #expect(rig.told().isEmpty && rig.table.devices.count == 1)
  }

  @Test func aGoodbyeEndsItAtOnce() {
    var rig = found()
    rig.hear(TableRig.notice("ssdp:byebye", target: "upnp:rootdevice"))
    #expect(rig.told() == ["left A"] && rig.table.entries.isEmpty && rig.asked.isEmpty)
  }

  @Test func aGoodbyeDuringTheDescriptionCancelsIt() {
    var rig = TableRig()
    rig.hear(TableRig.notice())
    let token = rig.asked[0].token
    rig.hear(TableRig.notice("ssdp:byebye"))
    #expect(rig.asked.isEmpty && rig.told().isEmpty)
    rig.table.finish(token, TableRig.document(), now: rig.now)
    rig.proceed()
    #expect(rig.told().isEmpty && rig.table.entries.isEmpty)
  }

  @Test func aGoodbyeOfAnEarlierRunIsNotMeant() {
    var rig = found()
    rig.hear(TableRig.notice("ssdp:byebye", bootID: 0))
    #expect(rig.told().isEmpty && rig.table.devices.count == 1)
  }

  /// Anybody can send one, and a device may send it from another of its addresses.
  @Test(arguments: [nil, 1] as [Int?]) func aGoodbyeOfAStrangerIsAQuestion(bootID: Int?) {
    var rig = TableRig()
    rig.hear(TableRig.notice(bootID: bootID))
    rig.answer(TableRig.document())
    _ = rig.told()
    for answer in [TableRig.document(), nil] {
      rig.hear(TableRig.notice("ssdp:byebye", bootID: nil), from: .v4(0xc0a8_0163))
      #expect(rig.told().isEmpty && rig.asked.count == 1)
      rig.answer(answer)
    }
    #expect(rig.told() == ["left A"] && rig.table.entries.isEmpty)
  }

  @Test func aGoodbyeAtTheStartOfTheNextRunIsAQuestion() {
    var rig = found()
    rig.hear(TableRig.notice("ssdp:byebye", bootID: 2))
    #expect(rig.told().isEmpty && rig.asked.count == 1)
    // Another device with its UDN has started.
    rig.answer(TableRig.document())
    #expect(rig.told().isEmpty && rig.asked.isEmpty)
    // It has started anew.
    rig.hear(TableRig.notice("ssdp:byebye", bootID: 2))
    rig.hear(TableRig.notice(bootID: 2))
    for _ in 0..<2 { rig.answer(TableRig.document(name: "B")) }
    #expect(rig.told() == ["restarted B"])
    // It has really gone.
    rig.hear(TableRig.notice("ssdp:byebye", bootID: 3))
    rig.answer(nil)
    #expect(rig.told() == ["left B"] && rig.table.entries.isEmpty)
  }

  @Test func aNewBootIDIsARestart() {
    var rig = found()
    rig.hear(TableRig.notice(bootID: 2))
    #expect(rig.asked.count == 1)
    rig.answer(TableRig.document(name: "B"))
    #expect(rig.told() == ["restarted B"])
    #expect(rig.table.devices[0].bootID == 2)
    // The same with nothing new in its description.
    rig.hear(TableRig.notice(bootID: 3))
    rig.answer(TableRig.document(name: "B"))
    #expect(rig.told() == ["restarted B"])
  }

  @Test func aRestartDuringTheDescriptionAsksOnceMore() {
    var rig = TableRig()
    rig.hear(TableRig.notice())
    rig.hear(TableRig.notice(bootID: 2))
    rig.answer(TableRig.document(name: "old"))
    #expect(rig.told().isEmpty && rig.asked.count == 1)
    rig.answer(TableRig.document(name: "new"))
    #expect(rig.told() == ["appeared new"])
  }

  @Test func anAnnouncedBootIDIsNone() {
    var rig = found()
    rig.hear(TableRig.notice("ssdp:update", bootID: 1, nextBootID: 2))
    rig.hear(TableRig.notice(bootID: 2))
    #expect(rig.asked.isEmpty)
    #expect(rig.told().allSatisfy { $0.hasPrefix("updated") })
    #expect(rig.table.devices[0].bootID == 2)
  }

  @Test func aNewConfigIDIsDescribed() {
    var rig = TableRig()
    rig.hear(TableRig.notice(configID: 1))
    rig.answer(TableRig.document())
    _ = rig.told()
    rig.hear(TableRig.notice(configID: 2))
    rig.answer(TableRig.document(name: "B"))
    #expect(rig.told() == ["updated B"])
  }

  @Test func aDeviceThatMovedIsFoundAtItsNewPlace() {
    var rig = found()
    rig.hear(TableRig.notice(location: "http://192.168.1.77:80/d.xml"), from: .v4(0xc0a8_014d))
    // The old place first: another device may have the same UDN.
    #expect(rig.asked.map(\.url) == ["http://192.168.1.9:80/d.xml"])
    rig.answer(nil)
    #expect(rig.asked.map(\.url) == ["http://192.168.1.77:80/d.xml"])
    #expect(rig.told().isEmpty)
    rig.answer(TableRig.document())
    #expect(rig.told() == ["updated A"])
    #expect(rig.table.devices[0].services[0].control.address == .v4(0xc0a8_014d))
    #expect(rig.table.devices[0].locations.count == 1)
  }

  @Test func aNewPortIsAMoveToo() {
    var rig = found()
    rig.hear(TableRig.notice(location: "http://192.168.1.9:81/d.xml", bootID: 2))
    rig.answer(nil)
    rig.answer(TableRig.document())
    #expect(rig.told() == ["restarted A"])
    #expect(rig.table.devices[0].services[0].control.port == 81)
  }

  @Test func twoDevicesWithOneUDNDoNotTakeTurns() {
    var rig = found()
    for round in 0..<20 {
      rig.hear(
        TableRig.notice(location: "http://192.168.1.77:80/d.xml", bootID: 7), from: .v4(0xc0a8_014d))
      rig.hear(TableRig.notice())
      if round == 0 { #expect(rig.asked.count == 1) } else { #expect(rig.asked.isEmpty) }
      rig.answer(TableRig.document())
      rig.advance(.seconds(30))
    }
    #expect(rig.told().isEmpty)
    #expect(rig.table.devices[0].locations.map(\.address.address) == [.v4(0xc0a8_0109)])
    // The goodbye of the other is no goodbye of this one.
    rig.hear(
      TableRig.notice("ssdp:byebye", location: "http://192.168.1.77:80/d.xml", bootID: 7),
      from: .v4(0xc0a8_014d))
    rig.advance(.seconds(6))
    rig.answer(TableRig.document())
    #expect(rig.told().isEmpty && rig.table.devices.count == 1)
  }

  @Test func aDeviceOnTwoLinksStaysWhenOneIsPulled() {
    var rig = found()
    rig.hear(TableRig.notice(location: "http://10.0.0.9:80/d.xml"), from: .v4(0x0a00_0009), interface: 3)
    #expect(rig.told() == ["updated A"] && rig.asked.isEmpty)
    rig.table.setInterfaces([TableRig.wlan0], now: rig.now)
    rig.proceed()
    #expect(rig.asked.map(\.url) == ["http://10.0.0.9:80/d.xml"])
    rig.answer(TableRig.document())
    #expect(rig.told() == ["updated A"])
    #expect(rig.table.devices[0].services[0].control.address == .v4(0x0a00_0009))
    rig.advance(.seconds(6))
    #expect(rig.table.devices[0].locations.count == 1)
    // Both are pulled: it is gone after some seconds, and nobody is asked.
    rig.table.setInterfaces([], now: rig.now)
    rig.proceed()
    #expect(rig.told() == ["updated A"])
    rig.advance(.seconds(4))
    #expect(rig.told().isEmpty)
    rig.advance(.seconds(1))
    #expect(rig.told() == ["expired A"] && rig.asked.isEmpty)
  }

  @Test func aCableThatIsOutForAMomentChangesNothing() {
    var rig = found()
    rig.table.setInterfaces([], now: rig.now)
    rig.advance(.seconds(2))
    rig.table.setInterfaces([TableRig.eth0], now: rig.now)
    rig.advance(.seconds(1))
    rig.hear(TableRig.notice())
    rig.advance(.seconds(60))
    #expect(rig.told().isEmpty && rig.asked.isEmpty)
  }

  @Test func failuresAreRemembered() {
    var rig = TableRig()
    rig.hear(TableRig.notice())
    rig.answer(nil)
    for (seconds, next) in [(1, 1), (59, 1), (299, 1), (299, 1)] as [(Int64, Int64)] {
      rig.hear(TableRig.notice())
      rig.advance(.seconds(seconds))
      #expect(rig.asked.isEmpty)
      rig.advance(.seconds(next))
      #expect(rig.asked.count == 1)
      rig.answer(nil)
    }
    // A restarted one isn't the one that failed.
    rig.hear(TableRig.notice(bootID: 2))
    #expect(rig.asked.count == 1)
    rig.answer(TableRig.document())
    #expect(rig.told() == ["appeared A"])
  }

  @Test func theNextLocationIsTriedWhenOneFails() {
    var rig = TableRig()
    rig.hear(TableRig.notice())
    rig.hear(TableRig.notice(location: "http://10.0.0.9:80/d.xml"), from: .v4(0x0a00_0009), interface: 3)
    rig.answer(nil)
    #expect(rig.asked.map(\.url) == ["http://10.0.0.9:80/d.xml"])
    rig.answer(TableRig.document())
    #expect(rig.told() == ["appeared A"])
    #expect(rig.table.devices[0].locations.map(\.interface) == [3, 2])
  }

  @Test func aDescriptionOfAnotherDeviceIsNone() {
    var rig = TableRig()
    rig.hear(TableRig.notice())
    rig.answer(TableRig.document("b"))
    #expect(rig.told().isEmpty && rig.table.nextDeadline == rig.now + .seconds(2))
  }

  @Test func embeddedDevicesAreDevices() {
    var rig = TableRig()
    let embedded = """
      <deviceList><device><deviceType>\(TableRig.server)</deviceType><UDN>uuid:inner</UDN>\
      <friendlyName>Inner</friendlyName></device></deviceList>
      """
    rig.hear(TableRig.notice(udn: "inner"))
    rig.answer(TableRig.document("outer", type: "urn:x:device:Box:1", embedded: embedded))
    #expect(rig.told() == ["appeared Inner"])
  }

  @Test func hostsThatNeverAnswerHoldUpNobody() {
    var rig = TableRig()
    for host in 1...3 {
      for device in 1...5 {
        rig.hear(
          TableRig.notice(
            udn: "\(host)\(device)", location: "http://192.168.1.\(host + 100):80/\(device).xml"))
      }
    }
    #expect(rig.asked.count == 6)
    #expect(rig.asked.filter { $0.url.contains(".103:") }.count == 2)
    // Those that wait for their host need no timer.
    #expect(rig.table.nextDeadline.map { $0 > rig.now } ?? true)
    let last = rig.asked.removeLast()
    rig.table.finish(last.token, TableRig.document("35"), now: rig.now)
    rig.proceed()
    #expect(rig.asked.count == 6)
  }

  @Test func twoAreAskedAtOnceAndSlowHostsLast() {
    var rig = TableRig(.init(fetches: 2))
    for host in 1...4 {
      for device in ["a", "b"] {
        rig.hear(
          TableRig.notice(udn: "\(host)\(device)", location: "http://192.168.1.\(host + 100):80/d.xml"),
          proceeds: false)
      }
    }
    rig.proceed()
    #expect(rig.asked.map(\.url) == (101...102).map { "http://192.168.1.\($0):80/d.xml" })
    rig.answer(nil)
    #expect(rig.asked.map(\.url) == (102...103).map { "http://192.168.1.\($0):80/d.xml" })
    // The other device of the host that failed comes last.
    for udn in ["2a", "3a", "2b", "3b", "4a"] { rig.answer(TableRig.document(udn)) }
    #expect(rig.asked.map(\.url) == [104, 101].map { "http://192.168.1.\($0):80/d.xml" })
    #expect(rig.table.runningCount == 2)
  }

  @Test func whereThereIsNoRoomTheSilentGo() {
    var rig = TableRig(DeviceTable.Limits(devices: 3))
    for udn in ["a", "b", "c", "d"] {
      rig.hear(TableRig.notice(udn: udn))
      rig.answer(TableRig.document(udn, name: udn))
      rig.advance(.seconds(1))
    }
    #expect(rig.told() == ["appeared a", "appeared b", "appeared c"])
    rig.advance(.seconds(320))
    for udn in ["a", "c"] { rig.hear(TableRig.notice(udn: udn)) }
    rig.hear(TableRig.notice(udn: "d"))
    rig.answer(TableRig.document("d", name: "d"))
    #expect(rig.told() == ["expired b", "appeared d"])
    rig.hear(TableRig.notice(udn: "e"))
    #expect(rig.asked.isEmpty)
  }

  @Test func whatCannotBeDescribedGoesFirst() {
    var rig = TableRig(DeviceTable.Limits(devices: 2))
    rig.hear(TableRig.notice(udn: "a"))
    rig.answer(TableRig.document("a"))
    rig.hear(TableRig.notice(udn: "bad"))
    rig.answer(nil)
    rig.hear(TableRig.notice(udn: "c"))
    rig.answer(TableRig.document("c", name: "C"))
    #expect(rig.told() == ["appeared A", "appeared C"])
  }

  @Test func oneHostCannotTakeAllPlaces() {
    var rig = TableRig(DeviceTable.Limits(devices: 4))
    func announce(_ udn: String, host: Int) {
      rig.hear(TableRig.notice(udn: udn, location: "http://192.168.1.\(host):80/d.xml"))
      rig.answer(TableRig.document(udn, name: udn))
      rig.advance(.seconds(1))
    }
    for udn in ["a", "b", "c", "d"] { announce(udn, host: 9) }
    _ = rig.told()
    announce("e", host: 10)
    #expect(rig.told() == ["expired a", "appeared e"])
    // It doesn't take its place back.
    announce("a", host: 9)
    #expect(rig.told().isEmpty)
    announce("f", host: 10)
    #expect(rig.told() == ["expired b", "appeared f"])
    // Each has as many as the other.
    for (udn, host) in [("g", 10), ("b", 9)] { announce(udn, host: host) }
    #expect(rig.told().isEmpty && rig.asked.isEmpty)
    announce("h", host: 11)
    #expect(rig.told() == ["expired c", "appeared h"])
  }

  @Test func servicesHaveTheUDNOfTheirDevice() {
    var rig = TableRig()
    rig.hear(TableRig.notice(udn: "A"))
    rig.answer(TableRig.document("a"))
    #expect(rig.table.devices.first?.services.map(\.udn) == ["A"])
  }

  @Test func locationsAreBounded() {
    var rig = found()
    for host in 10..<40 { rig.hear(TableRig.notice(location: "http://192.168.1.\(host):80/d.xml")) }
    #expect(rig.table.entries["a"]?.locations.count == 8)
    #expect(rig.table.devices[0].locations.map(\.url) == ["http://192.168.1.9:80/d.xml"])
  }

  @Test func servicesElsewhereAreLeftOut() throws {
    for (control, host) in [
      ("http://192.168.1.50:99/c", .v4(0xc0a8_0132)), ("/c", .v4(0xc0a8_0109)), ("http://8.8.8.8/c", nil),
      ("http://127.0.0.1/c", nil), ("https://192.168.1.9/c", nil), ("http://nas.local/c", nil),
    ] as [(String, IPAddress?)] {
      var rig = TableRig()
      rig.hear(TableRig.notice())
      rig.answer(TableRig.document(control: control))
      let device = try #require(rig.table.devices.first)
      #expect(device.services.first?.control.address == host, "\(control)")
    }
    var rig = TableRig()
    rig.hear(TableRig.notice())
    rig.answer(TableRig.document(base: "http://192.168.1.60:1234/base/", control: "c"))
    #expect(rig.table.devices[0].services[0].control.target == "/base/c")
    #expect(rig.table.devices[0].services[0].control.port == 1234)
    // A base that leads nowhere is none.
    for base in [
      "http://nas.local:80/", "http://127.0.0.1/", "http://8.8.8.8/", "nonsense", "ftp://192.168.1.9/",
    ] {
      var rig = TableRig()
      rig.hear(TableRig.notice(location: "http://192.168.1.9:80/d/d.xml"))
      rig.answer(TableRig.document(base: base, control: "/c"))
      #expect(rig.table.devices[0].services.first?.control.target == "/c", "\(base)")
    }
  }

  /// What relative addresses of a media server's files belong to as well.
  @Test func aBaseElsewhereCountsAsMissing() throws {
    for (base, isTaken) in [
      ("http://192.168.1.60:1234/base/", true), ("http://8.8.8.8/", false), ("http://nas.local/", false),
      ("/base/", false), ("", false),
    ] {
      var rig = TableRig()
      rig.hear(TableRig.notice())
      rig.answer(TableRig.document(base: base, control: "/c"))
      let device = try #require(rig.table.devices.first)
      #expect(device.base == (isTaken ? base : device.locations[0].url), "\(base)")
      let host: IPAddress = .v4(isTaken ? 0xc0a8_013c : 0xc0a8_0109)
      #expect(device.services.map(\.control.address) == [host], "\(base)")
    }
  }

  @Test func fewerKindsForgetTheOthers() {
    var rig = TableRig(kinds: [.mediaServer, .mediaRenderer])
    rig.hear(TableRig.notice())
    rig.answer(TableRig.document())
    rig.table.want([.mediaRenderer])
    rig.proceed()
    #expect(rig.table.entries.isEmpty && rig.told() == ["appeared A"])
  }
}
