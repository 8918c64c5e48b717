import Network
import Testing

@testable import HTTP
@testable import UPnP

@Suite struct SSDPMessageTests {
  private let entry = AdvertisementSet([DiscoveryFixture.renderer], configID: 7).devices[0][2]

  private func text(
    _ kind: SSDPMessage.Kind, at location: IPAddress = .v4(0xc000_0207), group: SSDPGroup? = .ipv4,
    searchPort: Int? = nil
  ) -> [String] {
    let message = SSDPMessage(
      kind: kind, advertisement: entry, location: location, group: group, bootID: 1_700_000_000,
      searchPort: searchPort)
    let text = String(decoding: message.encoded(), as: UTF8.self)
    #expect(text.hasSuffix("\r\n\r\n"))
    let lines = text.split(separator: "\r\n").map(String.init)
    #expect(!lines.contains { $0.utf8.contains(10) || $0.utf8.contains(13) })
    return lines
  }

  @Test func alive() {
    #expect(
      text(.alive) == [
        "NOTIFY * HTTP/1.1",
        "HOST: 239.255.255.250:1900",
        "CACHE-CONTROL: max-age=1800",
        "LOCATION: http://192.0.2.7:49494/X-MediaRenderer/device.xml",
        "NT: urn:schemas-upnp-org:device:MediaRenderer:1",
        "NTS: ssdp:alive",
        "SERVER: Linux/6.1 UPnP/1.1 Vireo/1.0",
        "USN: uuid:X-MediaRenderer::urn:schemas-upnp-org:device:MediaRenderer:1",
        "BOOTID.UPNP.ORG: 1700000000",
        "CONFIGID.UPNP.ORG: 7",
      ])
  }

  @Test func byebye() {
    #expect(
      text(.byebye, searchPort: 50000) == [
        "NOTIFY * HTTP/1.1",
        "HOST: 239.255.255.250:1900",
        "NT: urn:schemas-upnp-org:device:MediaRenderer:1",
        "NTS: ssdp:byebye",
        "USN: uuid:X-MediaRenderer::urn:schemas-upnp-org:device:MediaRenderer:1",
        "BOOTID.UPNP.ORG: 1700000000",
        "CONFIGID.UPNP.ORG: 7",
      ])
  }

  @Test func update() {
    #expect(
      text(.update(nextBootID: 1_700_000_001), searchPort: 49152) == [
        "NOTIFY * HTTP/1.1",
        "HOST: 239.255.255.250:1900",
        "LOCATION: http://192.0.2.7:49494/X-MediaRenderer/device.xml",
        "NT: urn:schemas-upnp-org:device:MediaRenderer:1",
        "NTS: ssdp:update",
        "USN: uuid:X-MediaRenderer::urn:schemas-upnp-org:device:MediaRenderer:1",
        "BOOTID.UPNP.ORG: 1700000000",
        "CONFIGID.UPNP.ORG: 7",
        "NEXTBOOTID.UPNP.ORG: 1700000001",
        "SEARCHPORT.UPNP.ORG: 49152",
      ])
  }

  @Test func response() {
    #expect(
      text(.response(date: 1_700_000_000), group: nil) == [
        "HTTP/1.1 200 OK",
        "CACHE-CONTROL: max-age=1800",
        "DATE: Tue, 14 Nov 2023 22:13:20 GMT",
        "EXT:",
        "LOCATION: http://192.0.2.7:49494/X-MediaRenderer/device.xml",
        "SERVER: Linux/6.1 UPnP/1.1 Vireo/1.0",
        "ST: urn:schemas-upnp-org:device:MediaRenderer:1",
        "USN: uuid:X-MediaRenderer::urn:schemas-upnp-org:device:MediaRenderer:1",
        "BOOTID.UPNP.ORG: 1700000000",
        "CONFIGID.UPNP.ORG: 7",
      ])
  }

  @Test func ipv6() {
    let linkLocal = text(.alive, at: .v6(0xfe80_0000_0000_0000, 7), group: .ipv6LinkLocal, searchPort: 65535)
    #expect(linkLocal.contains("HOST: [FF02::C]:1900"))
    #expect(linkLocal.contains("LOCATION: http://[fe80::7]:49494/X-MediaRenderer/device.xml"))
    #expect(linkLocal.last == "SEARCHPORT.UPNP.ORG: 65535")
    #expect(text(.byebye, at: .v6(0, 7), group: .ipv6SiteLocal).contains("HOST: [FF05::C]:1900"))
  }

  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
    (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (4_102_444_800, "Fri, 01 Jan 2100 00:00:00 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    (-5, "Thu, 01 Jan 1970 00:00:00 GMT"),
  ])
  func dates(seconds: Int, text: String) {
    #expect(HTTPDate.text(secondsSince1970: seconds) == text)
  }

  @Test func bootIDsOnlyRise() {
    var boot = BootID(1_700_000_000)
    boot.raise(now: 1_700_000_500)
    #expect(boot.value == 1_700_000_500)
    boot.raise(now: 1_700_000_500)
    #expect(boot.value == 1_700_000_501)
    boot.raise(now: 1_600_000_000)
    #expect(boot.value == 1_700_000_502, "the clock was set back")
    var last = BootID(Int(Int32.max))
    last.raise(now: 1_700_000_000)
    #expect(last.value == 1)
    #expect(BootID(-4).value == 1)
    #expect(BootID(1 << 40).value == Int(Int32.max))
  }

  @Test func endpointsOfInterfaces() {
    let addresses = [
      "192.168.1.20", "10.0.0.1", "2001:db8::1", "fe80::1", "fe80::2", "fd00::1",
    ].compactMap { IPAddress($0) }.map { InterfaceAddress(address: $0, prefixLength: 24) }
    let both = NetworkInterface(
      index: 4, name: "eth0", addresses: addresses, isRunning: true, isLoopback: false)
    #expect(
      SSDPEndpoint.endpoints(of: [both]).map { "\($0.interfaceIndex) \($0.address) \($0.group)" } == [
        "4 192.168.1.20 ipv4", "4 10.0.0.1 ipv4", "4 fe80::1 ipv6LinkLocal", "4 2001:db8::1 ipv6SiteLocal",
      ])
    let loopback = NetworkInterface(
      index: 1, name: "lo",
      addresses: [
        InterfaceAddress(address: .v4(0x7f00_0001), prefixLength: 8),
        InterfaceAddress(address: .v6(0, 1), prefixLength: 128),
      ], isRunning: true, isLoopback: true)
    #expect(SSDPEndpoint.endpoints(of: [loopback]).map(\.group) == [.ipv4])
  }
}
