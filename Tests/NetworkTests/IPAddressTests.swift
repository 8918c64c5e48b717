import NIOCore
import Testing

@testable import Network

@Suite struct IPAddressTests {
  @Test(arguments: [
    ("0.0.0.0", 0), ("127.0.0.1", 0x7f00_0001), ("192.168.1.255", 0xc0a8_01ff), ("255.255.255.255", .max),
  ])
  func readsIPv4(text: String, bits: UInt32) {
    #expect(IPAddress(text) == .v4(bits))
    #expect(IPAddress.v4(bits).description == text)
  }

  @Test(arguments: [
    "", "1", "127.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.04", "1.2.3.256", "1.2.3.1000", "0x7f.0.0.1",
    "1.2.3.4 ", " 1.2.3.4", "1.2.3.-4", "1.2..4", "1.2.3.", ".1.2.3", "2130706433", "localhost", "１.2.3.4",
    "[::1]", "::1]", "fe80::1%eth0", ":", ":::", "1:::2", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", "::1.2.3", "1.2.3.4::", "::1.2.3.4:5",
    "1:2:3:4:5:6:7:1.2.3.4",
    "1:2:3:4::5:6:7:8", "::1:2:3:4:5:6:7:8", "::ffff:01.2.3.4", "::/0",
  ])
  func refuses(text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test(arguments: [
    ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8::1", "2001:db8::1"),
    ("2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"),
    ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
    ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
    ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("::ffff:192.0.2.1", "::ffff:192.0.2.1"),
    ("::ffff:c000:201", "::ffff:192.0.2.1"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
    ("fe80::a:b:c:d", "fe80::a:b:c:d"), ("ff02::c", "ff02::c"),
    ("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
  ])
  func readsAndWritesIPv6(text: String, canonical: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.isIPv6)
    #expect(address.description == canonical)
    #expect(IPAddress(canonical) == address)
    #expect(address.urlHost == "[\(canonical)]")
  }

  @Test func keepsBothHalvesInOrder() {
    #expect(IPAddress("1:2:3:4:5:6:7:8") == .v6(0x0001_0002_0003_0004, 0x0005_0006_0007_0008))
  }

  @Test func classifies() throws {
    func all(_ property: (IPAddress) -> Bool, of texts: [String]) throws -> [String] {
      try texts.filter { property(try #require(IPAddress($0))) }
    }
    let texts = [
      "0.0.0.0", "127.0.0.1", "127.255.0.9", "128.0.0.1", "10.1.2.3", "172.15.0.1", "172.16.0.1",
      "172.31.9.9", "172.32.0.1", "192.168.0.1", "169.254.3.4", "169.255.0.1", "223.255.0.1", "224.0.0.1",
      "239.255.255.250",
      "240.0.0.1", "::", "::1", "::2", "fe80::1", "febf::1", "fec0::1", "fc00::1", "fdff::1", "fe00::1",
      "ff02::c",
      "2001:db8::1", "::ffff:127.0.0.1",
    ]
    #expect(try all(\.isLoopback, of: texts) == ["127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"])
    #expect(try all(\.isUnspecified, of: texts) == ["0.0.0.0", "::"])
    #expect(try all(\.isMulticast, of: texts) == ["224.0.0.1", "239.255.255.250", "ff02::c"])
    #expect(try all(\.isLinkLocal, of: texts) == ["169.254.3.4", "fe80::1", "febf::1"])
    #expect(try all(\.isIPv4Mapped, of: texts) == ["::ffff:127.0.0.1"])
  }

  @Test func unwrapsMappedAddresses() throws {
    #expect(IPAddress("::ffff:192.0.2.1")?.unmapped == IPAddress("192.0.2.1"))
    #expect(IPAddress("::fffe:192.0.2.1")?.unmapped == IPAddress("::fffe:192.0.2.1"))
    #expect(IPAddress("192.0.2.1")?.unmapped == IPAddress("192.0.2.1"))
  }

  @Test func convertsSocketAddresses() throws {
    for text in ["192.0.2.7", "2001:db8::7", "fe80::1:2:3:4"] {
      let address = try #require(IPAddress(text))
      let socketAddress = address.socketAddress(port: 1900)
      #expect(socketAddress.port == 1900)
      #expect(socketAddress.ipAddress == text)
      #expect(IPAddress(socketAddress) == address)
      #expect(try IPAddress(SocketAddress(ipAddress: text, port: 9)) == address)
    }
    #expect(try IPAddress(SocketAddress(ipAddress: "::ffff:192.0.2.7", port: 9)) == IPAddress("192.0.2.7"))
    #expect(try IPAddress(SocketAddress(unixDomainSocketPath: "/nowhere")) == nil)
  }

  @Test func scopesLinkLocalAndMulticastOnly() throws {
    func scope(_ text: String) throws -> Int? {
      try #require(IPAddress(text)).socketAddress(port: 1, interfaceIndex: 3).scopeInterfaceIndex
    }
    #expect(try scope("fe80::1") == 3)
    #expect(try scope("ff02::c") == 3)
    #expect(try scope("2001:db8::1") == nil)
    #expect(try scope("169.254.0.1") == nil)
  }
}
