import Testing

@testable import Network

@Suite struct InterfaceSelectionTests {
  private func interface(
    _ index: Int, _ name: String, _ addresses: [String], running: Bool = true, multicast: Bool = true,
    guests: Bool = false
  ) throws -> NetworkInterface {
    NetworkInterface(
      index: index, name: name,
      addresses: try addresses.map {
        let parts = $0.split(separator: "/")
        return InterfaceAddress(
          address: try #require(IPAddress(parts[0])), prefixLength: try #require(Int(parts[1])))
      }, isRunning: running, isLoopback: name == "lo", canMulticast: multicast,
      leadsToGuestsOnly: guests)
  }

  private func host() throws -> [NetworkInterface] {
    try [
      interface(1, "lo", ["127.0.0.1/8", "::1/128"], multicast: false),
      interface(2, "eth0", ["192.168.1.20/24", "fe80::2/64", "2001:db8::2/64"]),
      interface(3, "wlan0", ["10.0.0.3/8", "fe80::3/64"]),
      interface(4, "tun0", ["10.8.0.1/32"], multicast: false),
      interface(5, "docker0", ["172.17.0.1/16"], guests: true),
      interface(6, "eth1", ["192.168.9.1/24"], running: false),
      interface(7, "eth2", []),
    ]
  }

  private func selected(_ names: [String], ipv6: Bool = true) throws -> [String] {
    InterfaceSelection(names: names, ipv6: ipv6).announced(of: try host()).map(\.name)
  }

  @Test func takesLocalNetworksByDefault() throws {
    #expect(try selected([]) == ["eth0", "wlan0"])
  }

  @Test func takesWhatIsNamed() throws {
    #expect(try selected(["wlan0"]) == ["wlan0"])
    #expect(try selected(["lo", "docker0"]) == ["lo", "docker0"])
    #expect(try selected(["eth*"]) == ["eth0"])
    #expect(try selected(["wl*", "?un0"]) == ["wlan0", "tun0"])
    #expect(try selected(["eth1"]) == [], "not running")
    #expect(try selected(["nothing"]) == [])
  }

  /// Whatever it is called: a home router's LAN is a bridge too, and people call theirs what they like.
  @Test(arguments: ["br-lan", "br0", "vmbr0", "br-0123456789ab", "virbr7", "docker1", "lan"])
  func aBridgeIsTakenForWhatItIs(name: String) throws {
    let people = try interface(2, name, ["192.168.1.1/24"])
    let guests = try interface(2, name, ["192.168.1.1/24"], guests: true)
    #expect(InterfaceSelection().served(of: [people]) == [people])
    #expect(InterfaceSelection().announced(of: [people]) == [people])
    #expect(InterfaceSelection().served(of: [guests]) == [])
    #expect(InterfaceSelection(names: [name]).served(of: [guests]) == [guests], "unless it is named")
  }

  @Test func tellsWhatIsLeftOut() throws {
    #expect(InterfaceSelection().leftOut(of: try host()).map(\.name) == ["docker0"])
    #expect(InterfaceSelection(names: ["docker0"]).leftOut(of: try host()).isEmpty, "named")
    #expect(InterfaceSelection(names: ["eth0"]).leftOut(of: try host()).isEmpty, "somebody has decided that")
    let idle = try interface(5, "docker0", ["172.17.0.1/16"], running: false, guests: true)
    #expect(InterfaceSelection().leftOut(of: [idle]).isEmpty, "nothing is lost")
  }

  @Test func leavesIPv6OutWhenToldTo() throws {
    let selection = InterfaceSelection(ipv6: false).announced(of: try host())
    #expect(selection.flatMap(\.addresses).map(\.address.description) == ["192.168.1.20", "10.0.0.3"])
    let only6 = try interface(2, "eth0", ["fe80::2/64"])
    #expect(InterfaceSelection(ipv6: false).announced(of: [only6]).isEmpty)
    #expect(InterfaceSelection(ipv6: true).announced(of: [only6]) == [only6])
  }

  @Test func announcesToOneNetworkOnce() throws {
    let wired = try interface(2, "eth0", ["192.168.1.20/24", "192.168.1.21/24", "10.0.0.1/8", "fe80::2/64"])
    let wireless = try interface(3, "wlan0", ["192.168.1.30/24", "fe80::3/64"])
    let other = try interface(4, "wlan1", ["192.168.2.30/24", "192.168.1.31/24", "fe80::4/64"])
    let chosen = InterfaceSelection().announced(of: [wireless, other, wired])
    #expect(chosen.map(\.name) == ["eth0", "wlan1"])
    #expect(
      chosen.map { $0.addresses.map(\.address.description) } == [
        ["192.168.1.20", "10.0.0.1", "fe80::2"], ["192.168.2.30", "fe80::4"],
      ])
  }

  @Test func servesEveryAddress() throws {
    let wired = try interface(
      2, "eth0", ["192.168.1.20/24", "192.168.1.21/24", "2001:db8::2/64", "2001:db8::9/64"])
    let wireless = try interface(3, "wlan0", ["192.168.1.30/24", "fe80::3/64"])
    let all = [wired, wireless]
    #expect(InterfaceSelection().served(of: all.reversed()) == all)
    #expect(InterfaceSelection(names: ["eth0"]).served(of: all) == [wired], "only what is named")
    #expect(
      InterfaceSelection(ipv6: false).served(of: all).map { $0.addresses.map(\.address.description) } == [
        ["192.168.1.20", "192.168.1.21"], ["192.168.1.30"],
      ])
    #expect(InterfaceSelection(ipv6: false).served(of: [try interface(2, "eth0", ["fe80::2/64"])]).isEmpty)
    #expect(InterfaceSelection().served(of: try host()).map(\.name) == ["eth0", "wlan0"])
  }

  @Test func linkLocalNetworksAreOnePerLink() throws {
    let chosen = InterfaceSelection().announced(of: [
      try interface(2, "eth0", ["169.254.1.1/16", "fe80::2/64"]),
      try interface(3, "eth1", ["169.254.1.2/16", "fe80::3/64"]),
    ])
    #expect(chosen.map(\.addresses.count) == [2, 2])
  }

  @Test(arguments: [
    ("eth0", "eth0", true), ("eth0", "eth", false), ("eth0", "*", true), ("eth0", "e*0", true),
    ("eth0", "*h*", true), ("eth0", "eth?", true), ("eth10", "eth?", false), ("eth0", "", false),
    ("aab", "a*ab", true), ("abcabd", "*abd", true), ("abc", "*abd", false), ("eth0", "**", true),
    ("eth0", "eth0*", true),
  ])
  func matchesPatterns(name: String, pattern: String, matches: Bool) {
    #expect(InterfaceSelection.matches(name, pattern: pattern) == matches)
  }

  @Test func findsTheAddressThatReachesAPeer() throws {
    let wired = try interface(2, "eth0", ["10.0.0.1/8", "10.1.0.1/16", "fe80::2/64", "2001:db8::2/64"])
    func own(_ peer: String) throws -> String? {
      wired.address(reaching: try #require(IPAddress(peer)))?.description
    }
    #expect(try own("10.9.9.9") == "10.0.0.1")
    #expect(try own("10.1.9.9") == "10.1.0.1")
    #expect(try own("::ffff:10.1.9.9") == "10.1.0.1")
    #expect(try own("fe80::77") == "fe80::2")
    #expect(try own("2001:db8::77") == "2001:db8::2")
    for peer in [
      "11.0.0.1", "10.255.255.255", "224.0.0.1", "ff02::c", "0.0.0.0", "::", "2001:db8:1::1", "::1",
    ] {
      #expect(try own(peer) == nil)
    }
  }
}
