import Testing

@testable import Network

@Suite struct IPNetworkTests {
  @Test(arguments: [
    ("192.168.0.0/16", "192.168.0.0/16"), ("192.168.7.9/16", "192.168.0.0/16"), ("10.0.0.1", "10.0.0.1/32"),
    ("0.0.0.0/0", "0.0.0.0/0"), ("fd00::/8", "fd00::/8"), ("2001:db8:1:2:3::/64", "2001:db8:1:2::/64"),
    ("fe80::1", "fe80::1/128"), ("2001:db8::ffff/127", "2001:db8::fffe/127"), ("::/0", "::/0"),
  ])
  func reads(text: String, canonical: String) {
    #expect(IPNetwork(text)?.description == canonical)
  }

  @Test(arguments: [
    "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/08", "10.0.0.0/8/8",
    "10.0.0.0/255.0.0.0", "10/8", "fd00::/129", "fd00::/1280", "eth0", "10.0.0.0 /8",
  ])
  func refuses(text: String) {
    #expect(IPNetwork(text) == nil)
  }

  @Test func contains() throws {
    func check(_ network: String, _ address: String) throws -> Bool {
      try #require(IPNetwork(network)).contains(try #require(IPAddress(address)))
    }
    #expect(try check("192.168.0.0/16", "192.168.255.255"))
    #expect(try !check("192.168.0.0/16", "192.169.0.0"))
    #expect(try check("192.168.0.0/16", "::ffff:192.168.3.4"))
    #expect(try !check("192.168.0.0/16", "::c0a8:304"))
    #expect(try check("0.0.0.0/0", "8.8.8.8"))
    #expect(try !check("0.0.0.0/0", "::1"))
    #expect(try check("2001:db8::/65", "2001:db8::7fff:0:0:1"))
    #expect(try !check("2001:db8::/65", "2001:db8::8000:0:0:1"))
    #expect(try !check("10.0.0.1", "10.0.0.2"))
  }

  @Test func interfaceAddresses() throws {
    func interface(_ address: String, _ length: Int) throws -> InterfaceAddress {
      InterfaceAddress(address: try #require(IPAddress(address)), prefixLength: length)
    }
    func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    let home = try interface("192.168.1.20", 24)
    #expect(home.contains(try address("192.168.1.7")))
    #expect(!home.contains(try address("192.168.2.7")))
    #expect(home.isBroadcast(try address("192.168.1.255")))
    #expect(home.isBroadcast(try address("255.255.255.255")))
    #expect(!home.isBroadcast(try address("192.168.1.20")))
    #expect(!home.isBroadcast(try address("192.168.2.255")))
    #expect(try !interface("10.0.0.0", 31).isBroadcast(try address("10.0.0.1")))
    #expect(try !interface("10.0.0.1", 32).isBroadcast(try address("10.0.0.1")))
    #expect(try !interface("fe80::1", 64).isBroadcast(try address("fe80::ffff:ffff:ffff:ffff")))
    #expect(try interface("fe80::1", 64).contains(try address("fe80::2")))
  }
}
