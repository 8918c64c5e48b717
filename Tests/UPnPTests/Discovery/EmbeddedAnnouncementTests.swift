import Network
import SeededRandom
import Testing

@testable import UPnP

/// What is said of a root device with two embedded devices, and with fields of its own.
@Suite struct EmbeddedAnnouncementTests {
  private static let udn = "RINCON_0123456789AB01400"
  private let speaker = Speaker(udn: udn).root()

  private var set: AdvertisementSet {
    AdvertisementSet(
      [
        ServedDevice(device: speaker, port: 1400, serverToken: Speaker.serverToken, configID: 9),
        DiscoveryFixture.served(DiscoveryFixture.renderer),
      ], maxAge: 1800)
  }

  /// 3 + 2 · 2 + 5: three of the root device, two of each embedded device, and one of each service.
  @Test func everythingIsAnnounced() {
    #expect(
      set.devices[0].map(\.usn) == [
        "uuid:\(Self.udn)::upnp:rootdevice",
        "uuid:\(Self.udn)",
        "uuid:\(Self.udn)::urn:schemas-upnp-org:device:ZonePlayer:1",
        "uuid:\(Self.udn)::urn:schemas-upnp-org:service:DeviceProperties:1",
        "uuid:\(Self.udn)_MS",
        "uuid:\(Self.udn)_MS::urn:schemas-upnp-org:device:MediaServer:1",
        "uuid:\(Self.udn)_MS::urn:schemas-upnp-org:service:ContentDirectory:1",
        "uuid:\(Self.udn)_MS::urn:schemas-upnp-org:service:ConnectionManager:1",
        "uuid:\(Self.udn)_MR",
        "uuid:\(Self.udn)_MR::urn:schemas-upnp-org:device:MediaRenderer:1",
        "uuid:\(Self.udn)_MR::urn:schemas-upnp-org:service:RenderingControl:1",
        "uuid:\(Self.udn)_MR::urn:schemas-upnp-org:service:ConnectionManager:1",
      ])
  }

  /// The type comes first: Home Assistant takes a device for gone with the first byebye of it, whatever that one names, and tells
  /// only those who look for what it names.
  @Test func aDeviceMayAnnounceItsRootOnly() {
    var quiet = speaker
    quiet.announcement = .rootDevice
    let set = AdvertisementSet([quiet])
    #expect(
      set.devices[0].map(\.target) == [
        "urn:schemas-upnp-org:device:ZonePlayer:1", "uuid:\(Self.udn)", "upnp:rootdevice",
      ])
    #expect(set.matches("urn:schemas-upnp-org:device:MediaRenderer:1").isEmpty)
    #expect(set.matches("ssdp:all") == set.devices)
  }

  private func found(_ target: String) -> [[String]] { set.matches(target).map { $0.map(\.usn) } }

  @Test func embeddedDevicesAreFound() {
    #expect(found("uuid:\(Self.udn)_MS") == [["uuid:\(Self.udn)_MS"]])
    let renderer = "urn:schemas-upnp-org:device:MediaRenderer:1"
    #expect(
      found(renderer) == [["uuid:\(Self.udn)_MR::\(renderer)"], ["uuid:X-MediaRenderer::\(renderer)"]])
    let manager = "urn:schemas-upnp-org:service:ConnectionManager:1"
    #expect(
      found(manager) == [
        ["_MS", "_MR"].map { "uuid:\(Self.udn)\($0)::\(manager)" }, ["uuid:X-MediaRenderer::\(manager)"],
      ])
    #expect(found("upnp:rootdevice").map(\.count) == [1, 1], "an embedded device is no root device")
  }

  private func text(_ kind: SSDPMessage.Kind, searchPort: Int? = nil) -> [String] {
    let isResponse = if case .response = kind { true } else { false }
    let message = SSDPMessage(
      kind: kind, advertisement: set.devices[0][9], location: .v4(0xc000_0207),
      group: isResponse ? nil : .ipv4, bootID: 3, searchPort: searchPort)
    let text = String(decoding: message.encoded(), as: UTF8.self)
    #expect(text.hasSuffix("\r\n\r\n") && text.utf8.count <= 1024)
    return text.split(separator: "\r\n").map(String.init)
  }

  private let target = "urn:schemas-upnp-org:device:MediaRenderer:1"
  private let usn = "USN: uuid:\(udn)_MR::urn:schemas-upnp-org:device:MediaRenderer:1"
  private let household = "HOUSEHOLD.SMARTSPEAKER.AUDIO: Speaker_abcdefghijklmnopqrstuvwxyz"

  @Test func alive() {
    #expect(
      text(.alive) == [
        "NOTIFY * HTTP/1.1",
        "HOST: 239.255.255.250:1900",
        "CACHE-CONTROL: max-age=1800",
        "LOCATION: http://192.0.2.7:1400/xml/device_description.xml",
        "NT: \(target)",
        "NTS: ssdp:alive",
        "SERVER: Linux UPnP/1.0 Speaker/85.0-64200 (ZPS18)",
        usn,
        household,
        "X-RINCON-BOOTSEQ: 3",
        "BOOTID.UPNP.ORG: 3",
        "CONFIGID.UPNP.ORG: 9",
      ])
  }

  @Test func anAnnouncementMayNameItsTargetTwice() {
    var speaker = speaker
    speaker.habits.announcesSearchTarget = true
    let set = AdvertisementSet([speaker])
    for (kind, isNamed) in [(SSDPMessage.Kind.alive, true), (.byebye, true), (.update(nextBootID: 4), false)]
    {
      let message = SSDPMessage(
        kind: kind, advertisement: set.devices[0][9], location: .v4(0xc000_0207), group: .ipv4, bootID: 3)
      let lines = String(decoding: message.encoded(), as: UTF8.self).split(separator: "\r\n")
      #expect(lines.contains("NT: \(target)"))
      #expect(lines.contains("ST: \(target)") == isNamed)
    }
  }

  @Test func byebye() {
    #expect(
      text(.byebye) == [
        "NOTIFY * HTTP/1.1",
        "HOST: 239.255.255.250:1900",
        "NT: \(target)",
        "NTS: ssdp:byebye",
        usn,
        "BOOTID.UPNP.ORG: 3",
        "CONFIGID.UPNP.ORG: 9",
      ])
  }

  @Test func update() {
    #expect(
      text(.update(nextBootID: 4), searchPort: 50000) == [
        "NOTIFY * HTTP/1.1",
        "HOST: 239.255.255.250:1900",
        "LOCATION: http://192.0.2.7:1400/xml/device_description.xml",
        "NT: \(target)",
        "NTS: ssdp:update",
        usn,
        household,
        "X-RINCON-BOOTSEQ: 3",
        "BOOTID.UPNP.ORG: 3",
        "CONFIGID.UPNP.ORG: 9",
        "NEXTBOOTID.UPNP.ORG: 4",
        "SEARCHPORT.UPNP.ORG: 50000",
      ])
  }

  @Test func response() {
    #expect(
      text(.response(date: 1_700_000_000)) == [
        "HTTP/1.1 200 OK",
        "CACHE-CONTROL: max-age=1800",
        "DATE: Tue, 14 Nov 2023 22:13:20 GMT",
        "EXT:",
        "LOCATION: http://192.0.2.7:1400/xml/device_description.xml",
        "SERVER: Linux UPnP/1.0 Speaker/85.0-64200 (ZPS18)",
        "ST: \(target)",
        usn,
        household,
        "X-RINCON-BOOTSEQ: 3",
        "BOOTID.UPNP.ORG: 3",
        "CONFIGID.UPNP.ORG: 9",
      ])
  }

  private func started() -> (announcer: Announcer, random: SeededRandom) {
    var (announcer, random) = (
      Announcer(advertisements: set, bootID: BootID(3), maxAge: 1800), SeededRandom(seed: 1)
    )
    announcer.start(now: now, using: &random)
    announcer.setEndpoints([DiscoveryFixture.eth0], now: now, wallClock: 500, using: &random)
    return (announcer, random)
  }

  private let now = DiscoveryFixture.time(milliseconds: 0)

  /// What is sent until everything has been announced once.
  private func next(_ announcer: inout Announcer, _ random: inout SeededRandom) -> [SSDPMessage] {
    var messages: [SSDPMessage] = []
    while messages.count(where: { $0.kind == .alive }) < 18, let due = announcer.nextDeadline {
      messages += announcer.due(now: due, using: &random).map(\.message)
    }
    return messages
  }

  /// One device changes: the CONFIGID of the other stays, and both get the new BOOTID.
  @Test func eachRootDeviceHasItsConfigID() {
    var (announcer, random) = started()
    let first = next(&announcer, &random)
    #expect(first.count { $0.kind == .byebye } == 18, "embedded devices included")
    #expect(first.map(\.configID) == first.map { $0.advertisement.udn.hasPrefix(Self.udn) ? 9 : 1 })
    let changed = AdvertisementSet(
      [
        ServedDevice(device: speaker, port: 1400, serverToken: Speaker.serverToken, configID: 10),
        DiscoveryFixture.served(DiscoveryFixture.renderer),
      ], maxAge: 1800)
    announcer.setAdvertisements(changed, now: now, wallClock: 500, using: &random)
    let second = next(&announcer, &random)
    let byebyes = second.filter { $0.kind == .byebye }
    #expect(byebyes.map(\.configID) == Array(repeating: 9, count: 12), "the other one stays")
    #expect(byebyes.allSatisfy { $0.bootID == 3 })
    let updates = second.filter { $0.kind == .update(nextBootID: 500) }
    #expect(updates.map(\.configID) == Array(repeating: 1, count: 6))
    #expect(updates.allSatisfy { $0.bootID == 3 })
    let alive = second.filter { $0.kind == .alive }
    #expect(alive.map(\.configID) == Array(repeating: 10, count: 12) + Array(repeating: 1, count: 6))
    #expect(alive.allSatisfy { $0.bootID == 500 })
  }

  @Test func aNewInterfaceIsToldForEmbeddedDevicesToo() {
    var (announcer, random) = started()
    _ = next(&announcer, &random)
    let endpoints = [DiscoveryFixture.eth0, DiscoveryFixture.wlan0]
    announcer.setEndpoints(endpoints, now: now, wallClock: 500, using: &random)
    var updates: [SSDPMessage] = []
    while updates.count < 18, let due = announcer.nextDeadline {
      updates += announcer.due(now: due, using: &random).map(\.message)
        .filter { $0.kind == .update(nextBootID: 500) }
    }
    #expect(updates.map(\.advertisement) == set.devices.flatMap { $0 })
    #expect(updates.allSatisfy { $0.bootID == 3 })
  }
}
