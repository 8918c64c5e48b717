import Network
import Testing

@testable import UPnP

@Suite struct SSDPNoticeTests {
  private func notice(_ text: String) -> SSDPNotice? { SSDPNotice(datagram: Array(text.utf8)) }

  struct Sent: Sendable {
    var kind: SSDPMessage.Kind
    var read: SSDPNotice.Kind
  }

  /// What we send, we read.
  @Test(
    arguments: [
      Sent(kind: .alive, read: .alive), Sent(kind: .byebye, read: .byebye),
      Sent(kind: .update(nextBootID: 8), read: .update(nextBootID: 8)),
      Sent(kind: .response(date: 0), read: .response),
    ], [IPAddress.v4(0xc000_0207), .v6(0xfe80_0000_0000_0000, 7)])
  func ourOwnMessages(sent: Sent, location: IPAddress) throws {
    for entry in AdvertisementSet([DiscoveryFixture.source], configID: 9).devices[0] {
      let message = SSDPMessage(
        kind: sent.kind, advertisement: entry, location: location, group: .ipv4, bootID: 7,
        searchPort: 50000)
      let read = try #require(SSDPNotice(datagram: message.encoded()))
      #expect(read.kind == sent.read)
      #expect(read.udn == "X")
      #expect(read.target == entry.target)
      #expect(read.bootID == 7 && read.configID == 9)
      let url = "http://\(location.urlHost):49494/X/device.xml"
      #expect(read.location == (sent.kind == .byebye ? nil : url))
      #expect(read.searchPort == (sent.kind == .byebye ? nil : 50000))
      let isValidFor = sent.read == .alive || sent.read == .response
      #expect(read.maxAge == (isValidFor ? 1800 : nil))
      #expect(read.server == (isValidFor ? entry.constants.server : ""))
    }
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\nST:upnp:rootdevice\nUSN:uuid:a::upnp:rootdevice\nLocation:http://192.0.2.9/d.xml\n",
    "http/1.0 200\r\n\tlocation : http://192.0.2.9/d.xml \r\nusn: UUID:a::upnp:rootdevice\r\nst: upnp:rootdevice",
    "HTTP/1.1 200 OK\r\nUSN: uuid:a::upnp:rootdevice\r\nLOCATION: http://192.0.2.9/d.xml\r\nST:\r\n\r\n",
    "HTTP/1.1 200 OK\r\nno colon\r\nUSN: uuid:a::upnp:rootdevice\r\nUSN: uuid:b\r\nLOCATION: http://192.0.2.9/d.xml\r\n\r\nST: x",
  ])
  func oddFormsAreRead(text: String) throws {
    let read = try #require(notice(text))
    #expect(read.kind == .response && read.udn == "a" && read.target == "upnp:rootdevice")
    #expect(read.location == "http://192.0.2.9/d.xml")
    #expect(read.maxAge == nil && read.bootID == nil && read.server == "")
  }

  @Test(arguments: [
    ("max-age=1800", 1800), ("MAX-AGE = \"60\"", 60), ("no-cache=\"Ext\", max-age = 5000", 5000),
    ("max-age=99999999999999999999", Int(Int32.max)), ("max-age=", nil), ("1800", nil), ("max-age=-1", nil),
    ("", nil),
  ])
  func howLongItIsValid(field: String, seconds: Int?) {
    let read = notice(
      "NOTIFY * HTTP/1.1\r\nNT: uuid:a\r\nNTS: ssdp:alive\r\nUSN: uuid:a\r\nLOCATION: http://h/\r\n"
        + "CACHE-CONTROL: \(field)\r\n\r\n")
    #expect(read?.maxAge == seconds && read?.target == "uuid:a")
  }

  @Test func aMissingTargetStandsInTheUSN() {
    func target(_ usn: String) -> String? {
      notice("NOTIFY * HTTP/1.1\r\nNTS: ssdp:byebye\r\nUSN: \(usn)\r\n\r\n")?.target
    }
    #expect(target("uuid:a::urn:x:device:y:1") == "urn:x:device:y:1")
    #expect(target("uuid:a") == "uuid:a")
    #expect(target("uuid:a::") == nil)
  }

  @Test(arguments: [
    "", "\r\n", "M-SEARCH * HTTP/1.1\r\nST: ssdp:all\r\nUSN: uuid:a\r\n\r\n",
    "NOTIFY * HTTP/1.1\r\nNTS: ssdp:alive\r\nUSN: uuid:a\r\n\r\n",
    "NOTIFY * HTTP/1.1\r\nNTS: ssdp:gone\r\nUSN: uuid:a\r\nLOCATION: http://h/\r\n\r\n",
    "NOTIFY * HTTP/1.1\r\nNTS: ssdp:byebye\r\n\r\n",
    "NOTIFY * HTTP/1.1\r\nNTS: ssdp:byebye\r\nUSN: a\r\n\r\n",
    "NOTIFY * HTTP/1.1\r\nNTS: ssdp:byebye\r\nUSN: uuid:\r\n\r\n",
    "NOTIFY /x HTTP/1.1\r\nNTS: ssdp:byebye\r\nUSN: uuid:a\r\n\r\n",
    "HTTP/1.1 404 Not Found\r\nUSN: uuid:a\r\nLOCATION: http://h/\r\n\r\n",
    "HTTP/1.1 200 OK\r\nUSN: uuid:a\r\nLOCATION: http://h/ x\r\n\r\n",
  ])
  func whatSaysNothingOfADevice(text: String) { #expect(notice(text) == nil) }

  @Test func sizesAreBounded() {
    func read(location: Int = 20, udn: Int = 20, padding: Int = 0) -> SSDPNotice? {
      notice(
        "HTTP/1.1 200 OK\r\nUSN: uuid:\(String(repeating: "u", count: udn))\r\n"
          + "LOCATION: \(String(repeating: "l", count: location))\r\n"
          + "SERVER: \(String(repeating: "s", count: 500))\r\nX: \(String(repeating: "x", count: padding))\r\n\r\n"
      )
    }
    #expect(read()?.server.count == 256)
    #expect(read(location: SSDPNotice.maximumFieldLength) != nil)
    #expect(read(location: SSDPNotice.maximumFieldLength + 1) == nil)
    #expect(read(udn: SSDPNotice.maximumUDNLength) != nil)
    #expect(read(udn: SSDPNotice.maximumUDNLength + 1) == nil)
    #expect(read(padding: SSDPNotice.maximumLength) == nil)
  }

  @Test(arguments: ["ssdp:all", "upnp:rootdevice", "urn:schemas-upnp-org:device:MediaServer:1"], 1...5)
  func ourSearches(target: String, mx: Int) {
    let request = SearchRequest(target: target, mx: mx)
    let sent = request.encoded(host: "239.255.255.250:1900", userAgent: "Linux/6.1 UPnP/1.1 Vireo/1.0")
    #expect(SearchRequest(datagram: sent) == request)
    let lines = String(decoding: sent, as: UTF8.self)
    #expect(
      lines.hasPrefix("M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\n"))
    #expect(lines.hasSuffix("\r\n\r\n") && lines.split(separator: "\r\n").count == 6)
  }
}
