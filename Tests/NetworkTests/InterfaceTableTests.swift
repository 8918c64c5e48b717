import Testing

@testable import Network

private typealias Fixture = NetlinkFixture

extension InterfaceTable {
  fileprivate mutating func apply(_ bytes: [UInt8]) -> Step { bytes.withUnsafeBytes { apply($0) } }

  /// A table that has listed `links` and `addresses`.
  fileprivate static func listed(
    _ links: [UInt8], _ addresses: [UInt8] = [], _ routes: [UInt8] = []
  ) throws -> InterfaceTable {
    var table = InterfaceTable()
    let first = sequence(of: table.begin())
    _ = table.apply(links)
    let second = sequence(of: try #require(table.apply(Fixture.done(sequence: first)).request))
    _ = table.apply(addresses)
    let third = sequence(of: try #require(table.apply(Fixture.done(sequence: second)).request))
    _ = table.apply(routes)
    #expect(table.apply(Fixture.done(sequence: third)) == Step(isChanged: true))
    return table
  }

  fileprivate static func sequence(of request: [UInt8]) -> UInt32 {
    request.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self) }
  }

  fileprivate func addresses(_ index: Int) -> [String] {
    interfaces.first { $0.index == index }?.addresses.map { "\($0.address)/\($0.prefixLength)" } ?? []
  }
}

@Suite struct InterfaceTableTests {
  private let eth0 = Fixture.link(index: 2, name: "eth0")
  private let home = Fixture.address(
    index: 2, local: [192, 168, 1, 20], address: [192, 168, 1, 20], prefix: 24)

  @Test func asksForLinksThenForAddressesThenForRoutes() throws {
    var table = InterfaceTable()
    let first = table.begin()
    #expect(first.count == 20)
    #expect(first[4] == 18, "RTM_GETLINK")
    #expect(first[6] == 1 && first[7] == 3, "a request for a dump")
    #expect(table.apply(eth0) == InterfaceTable.Step())
    #expect(table.interfaces.isEmpty, "nothing is told before the list is complete")

    let second = try #require(table.apply(Fixture.done(sequence: InterfaceTable.sequence(of: first))).request)
    #expect(second[4] == 22, "RTM_GETADDR")
    _ = table.apply(home)
    let third = try #require(table.apply(Fixture.done(sequence: InterfaceTable.sequence(of: second))).request)
    #expect(third[4] == 26 && third[16] == 10, "RTM_GETROUTE of IPv6")
    #expect(table.interfaces.isEmpty, "nor before the last list is")
    #expect(table.apply(Fixture.done(sequence: InterfaceTable.sequence(of: third))).isChanged)
    let address = InterfaceAddress(address: .v4(0xc0a8_0114), prefixLength: 24)
    #expect(
      table.interfaces == [
        NetworkInterface(index: 2, name: "eth0", addresses: [address], isRunning: true, isLoopback: false)
      ])
  }

  @Test func readsSeveralMessagesOfOneDatagram() throws {
    let table = try InterfaceTable.listed(
      Fixture.link(index: 1, name: "lo", flags: Fixture.up | Fixture.running | Fixture.loopback) + eth0,
      Fixture.address(index: 1, local: [127, 0, 0, 1], address: [127, 0, 0, 1], prefix: 8) + home)
    #expect(table.interfaces.map(\.name) == ["lo", "eth0"])
    #expect(table.interfaces.map(\.isLoopback) == [true, false])
    #expect(table.interfaces.map(\.canMulticast) == [false, true])
    #expect(table.addresses(1) == ["127.0.0.1/8"])
  }

  @Test func followsAddresses() throws {
    var table = try InterfaceTable.listed(eth0, home)
    let other = Fixture.address(index: 2, local: [10, 0, 0, 5], address: [10, 0, 0, 5], prefix: 8)
    #expect(table.apply(other).isChanged)
    #expect(table.addresses(2) == ["192.168.1.20/24", "10.0.0.5/8"])
    #expect(!table.apply(other).isChanged, "known already: a renewed lease")
    #expect(
      table.apply(Fixture.address(Fixture.deleteAddress, index: 2, address: [192, 168, 1, 20], prefix: 24))
        .isChanged)
    #expect(table.addresses(2) == ["10.0.0.5/8"])
    #expect(
      !table.apply(Fixture.address(Fixture.deleteAddress, index: 2, address: [192, 168, 1, 20], prefix: 24))
        .isChanged)
  }

  @Test func followsLinks() throws {
    var table = try InterfaceTable.listed(eth0, home)
    let unplugged = Fixture.link(index: 2, name: "eth0", flags: Fixture.up | Fixture.multicast)
    #expect(table.apply(unplugged).isChanged)
    #expect(table.interfaces.map(\.isRunning) == [false])
    #expect(table.addresses(2) == ["192.168.1.20/24"], "the address stays while the cable is out")
    #expect(!table.apply(unplugged).isChanged)
    #expect(table.apply(Fixture.link(index: 2, name: "lan0")).isChanged)
    #expect(table.interfaces.map(\.name) == ["lan0"])
    let isDown = Fixture.link(index: 2, name: "lan0", flags: Fixture.running | Fixture.multicast)
    #expect(table.apply(isDown).isChanged)
    #expect(table.interfaces.map(\.isRunning) == [false])
    #expect(table.apply(Fixture.link(Fixture.deleteLink, index: 2, name: "lan0")).isChanged)
    #expect(table.interfaces.isEmpty)
  }

  @Test func aBridgePortThatLeavesIsStillALink() throws {
    var table = try InterfaceTable.listed(eth0, home)
    #expect(!table.apply(Fixture.link(Fixture.deleteLink, index: 2, name: "eth0", family: 7)).isChanged)
    #expect(table.interfaces.map(\.name) == ["eth0"])
  }

  @Test func aBridgePortHasNoLinkLocalAddress() throws {
    var table = try InterfaceTable.listed(
      Fixture.link(index: 2, name: "veth1", master: 5),
      home + Fixture.address(index: 2, address: Fixture.linkLocal(3), prefix: 64))
    #expect(table.addresses(2) == ["192.168.1.20/24"])
    #expect(table.apply(Fixture.link(index: 2, name: "veth1")).isChanged)
    #expect(table.addresses(2) == ["192.168.1.20/24", "fe80::3/64"])
  }

  @Test func aWirelessEventTellsNothingOfTheLink() throws {
    var table = try InterfaceTable.listed(
      Fixture.link(index: 2, name: "wlan0", master: 5),
      home + Fixture.address(index: 2, address: Fixture.linkLocal(3), prefix: 64))
    #expect(!table.apply(Fixture.wirelessEvent(index: 2, name: "wlan0")).isChanged)
    #expect(table.addresses(2) == ["192.168.1.20/24"], "still a port of its bridge")
    #expect(!table.apply(Fixture.wirelessEvent(index: 2, name: "wlan0", flags: Fixture.up)).isChanged)
    #expect(table.interfaces.map(\.isRunning) == [true], "a lost carrier is told in full")
    #expect(!table.apply(Fixture.wirelessEvent(index: 9, name: "wlan9")).isChanged)
    #expect(table.interfaces.map(\.name) == ["wlan0"], "a link that has gone stays away")
  }

  @Test func waitsForDuplicateAddressDetection() throws {
    var table = try InterfaceTable.listed(eth0)
    let address = Fixture.linkLocal(1)
    _ = table.apply(Fixture.address(index: 2, address: address, prefix: 64, flags: 0x80 | 0x40))
    #expect(table.addresses(2) == [], "tentative")
    #expect(table.apply(Fixture.address(index: 2, address: address, prefix: 64)).isChanged)
    #expect(table.addresses(2) == ["fe80::1/64"])
    #expect(table.apply(Fixture.address(index: 2, address: address, prefix: 64, flags: 0xa0)).isChanged)
    #expect(table.addresses(2) == [], "deprecated")
    _ = table.apply(Fixture.address(index: 2, address: address, prefix: 64, flags: 0x44))
    #expect(table.addresses(2) == ["fe80::1/64"], "optimistic")
    _ = table.apply(Fixture.address(index: 2, address: address, prefix: 64, flags: 0x48))
    #expect(table.addresses(2) == [], "a duplicate")
  }

  @Test func listsTemporaryAddressesLast() throws {
    let temporary = [0xfd] + Array(repeating: 0, count: 14) + [9] as [UInt8]
    let lasting = [0xfd] + Array(repeating: 0, count: 14) + [1] as [UInt8]
    let table = try InterfaceTable.listed(
      eth0,
      Fixture.address(index: 2, address: temporary, prefix: 64, flags: 1)
        + Fixture.address(index: 2, address: lasting, prefix: 64, flags: 0x100))
    #expect(table.addresses(2) == ["fd00::1/64", "fd00::9/64"])
  }

  @Test func takesTheOwnEndOfAPointToPointLink() throws {
    let table = try InterfaceTable.listed(
      eth0, Fixture.address(index: 2, local: [10, 0, 0, 1], address: [10, 0, 0, 2], prefix: 32))
    #expect(table.addresses(2) == ["10.0.0.1/32"])
  }

  // MARK: - Addresses that stand alone

  /// 2001:db8:0:`third`::`last`
  private func wide(_ third: UInt8 = 0, _ last: UInt8 = 0) -> [UInt8] {
    [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, third] + Array(repeating: 0, count: 7) + [last]
  }

  private var alone: [UInt8] { Fixture.address(index: 2, address: wide(1, 7), prefix: 128) }

  @Test func aRouteTellsTheNetworkOfAnAddressThatStandsAlone() throws {
    let route = Fixture.route(to: wide(1), prefix: 64, index: 2)
    #expect(try InterfaceTable.listed(eth0, alone).addresses(2) == ["2001:db8:0:1::7/128"])
    #expect(try InterfaceTable.listed(eth0, alone, route).addresses(2) == ["2001:db8:0:1::7/64"])
    // Whichever comes first, and however often.
    var table = try InterfaceTable.listed(eth0, alone)
    #expect(table.apply(route).isChanged)
    #expect(!table.apply(route).isChanged)
    #expect(table.addresses(2) == ["2001:db8:0:1::7/64"])
    // The narrowest, while there are several: one of the kernel's, one of a program that manages the network.
    #expect(table.apply(Fixture.route(to: wide(0), prefix: 56, index: 2, metric: 1024)).isChanged)
    #expect(table.addresses(2) == ["2001:db8:0:1::7/64"])
    #expect(table.apply(Fixture.route(Fixture.deleteRoute, to: wide(1), prefix: 64, index: 2)).isChanged)
    #expect(table.addresses(2) == ["2001:db8:0:1::7/56"])
    #expect(
      table.apply(Fixture.route(Fixture.deleteRoute, to: wide(0), prefix: 56, index: 2, metric: 1024))
        .isChanged)
    #expect(table.addresses(2) == ["2001:db8:0:1::7/128"])
  }

  /// Nobody else becomes a neighbour by that.
  @Test func otherRoutesTellNothing() throws {
    let others = [
      Fixture.route(to: wide(1), prefix: 64, index: 3),
      Fixture.route(to: wide(2), prefix: 64, index: 2),
      Fixture.route(to: wide(1), prefix: 64, index: 2, gateway: Fixture.linkLocal(1)),
      Fixture.route(to: wide(1), prefix: 64, index: 2, table: 100),
      Fixture.route(to: wide(1), prefix: 64, index: 2, table: 255),
      // Unreachable; local; what a provider has, or all there is.
      Fixture.route(to: wide(1), prefix: 64, index: 2, kind: 7),
      Fixture.route(to: wide(1), prefix: 64, index: 2, kind: 2),
      Fixture.route(to: wide(0), prefix: 47, index: 2),
      Fixture.route(to: wide(0), prefix: 0, index: 2),
      Fixture.route(to: wide(1, 7), prefix: 128, index: 2),
    ]
    for route in others {
      #expect(try InterfaceTable.listed(eth0, alone, route).addresses(2) == ["2001:db8:0:1::7/128"])
    }
    let route = Fixture.route(to: wide(0), prefix: 48, index: 2)
    let tunnel = Fixture.link(index: 2, name: "tun0", flags: Fixture.cabled | 0x10)
    #expect(try InterfaceTable.listed(tunnel, alone, route).addresses(2) == ["2001:db8:0:1::7/128"])
    // An address with a network of its own keeps that.
    let usual = Fixture.address(index: 2, address: wide(1, 8), prefix: 64)
    #expect(try InterfaceTable.listed(eth0, usual, route).addresses(2) == ["2001:db8:0:1::8/64"])
    let ipv4 = Fixture.address(index: 2, address: [10, 0, 0, 5], prefix: 32)
    #expect(try InterfaceTable.listed(eth0, ipv4, route).addresses(2) == ["10.0.0.5/32"])
  }

  @Test func aRouteMayBeReplacedAndGoesWithItsLink() throws {
    let route = Fixture.route(to: wide(1), prefix: 64, index: 2)
    var table = try InterfaceTable.listed(eth0 + Fixture.link(index: 3, name: "eth1"), alone, route)
    let replaced = { (index: UInt32, gateway: [UInt8]?) in
      Fixture.route(to: wide(1), prefix: 64, index: index, gateway: gateway, messageFlags: 0x100)
    }
    #expect(table.apply(replaced(2, Fixture.linkLocal(1))).isChanged)
    #expect(table.addresses(2) == ["2001:db8:0:1::7/128"], "now through a router")
    #expect(table.apply(replaced(2, nil)).isChanged)
    #expect(table.addresses(2) == ["2001:db8:0:1::7/64"])
    #expect(table.apply(replaced(3, nil)).isChanged)
    #expect(table.addresses(2) == ["2001:db8:0:1::7/128"], "now on another link")
    #expect(table.apply(replaced(2, nil)).isChanged)
    _ = table.apply(Fixture.link(index: 2, name: "eth0", flags: Fixture.multicast))
    _ = table.apply(eth0)
    #expect(table.addresses(2) == ["2001:db8:0:1::7/128"], "it has to come anew")
  }

  @Test func aHostWithoutRoutesOfIPv6IsFollowed() throws {
    var table = InterfaceTable()
    let first = InterfaceTable.sequence(of: table.begin())
    _ = table.apply(eth0)
    let second = try #require(table.apply(Fixture.done(sequence: first)).request)
    _ = table.apply(home)
    let third = try #require(
      table.apply(Fixture.done(sequence: InterfaceTable.sequence(of: second))).request)
    let refused = table.apply(Fixture.error(95, sequence: InterfaceTable.sequence(of: third)))
    #expect(refused == InterfaceTable.Step(isChanged: true))
    #expect(table.addresses(2) == ["192.168.1.20/24"])
  }

  @Test func holdsABoundedNumberOfRoutes() throws {
    var table = try InterfaceTable.listed(eth0, alone)
    for number in 0...200 {
      _ = table.apply(Fixture.route(to: wide(2), prefix: 64, index: 2, metric: UInt32(number)))
    }
    #expect(!table.apply(Fixture.route(to: wide(1), prefix: 64, index: 2)).isChanged)
  }

  // MARK: - Bridges

  /// Which of the links lead to guests only; 5 is a bridge, unless said otherwise.
  private func guests(_ links: [UInt8]...) throws -> [String] {
    let bridge = Fixture.link(index: 5, name: "br0", kind: "bridge")
    return try InterfaceTable.listed(bridge + links.flatMap(\.self)).interfaces.filter(\.leadsToGuestsOnly)
      .map(\.name)
  }

  private func port(_ index: Int32, _ name: String, _ kind: String?, of master: UInt32? = 5) -> [UInt8] {
    Fixture.link(index: index, name: name, master: master, kind: kind)
  }

  @Test(
    arguments: [
      // Ethernet or Wi-Fi; a home router's; Proxmox with and without its firewall; others.
      [("eth0", nil)], [("lan1", "dsa"), ("phy0-ap0", nil)], [("eth0.1", "vlan"), ("wlan0", nil)],
      [("eno1", nil), ("tap100i0", "tun"), ("fwpr101p0", "veth"), ("veth102i0", "veth")], [("bond0", "bond")],
      [("team0", "team")], [("bat0", "batadv")], [("enp3s0", nil), ("vnet0", "tun")],
      [("new0", "unheard-of")],
      // The card of a container that bridges for its own.
      [("eth0", "veth"), ("veth12ab", "veth")], [("host0", "veth")],
    ] as [[(String, String?)]])
  func aBridgeWithACardLeadsToPeople(ports: [(String, String?)]) throws {
    let links = ports.enumerated().map { port(Int32(10 + $0), $1.0, $1.1) }
    #expect(try guests(links.flatMap(\.self)) == [])
  }

  @Test(
    arguments: [
      // Docker, podman, LXD; systemd-nspawn's zones; libvirt's own network; LXD's of several hosts; Proxmox's firewall.
      [("veth12ab", "veth"), ("veth34cd", "veth")], [("vb-web", "veth")],
      [("vnet0", "tun"), ("vnet1", "tun")],
      [("virbr0-nic", "tun")], [("lxdfan0-fan", "vxlan"), ("veth1", "veth")],
      [("tap100i0", "tun"), ("fwln100i0", "veth")],
      [("dummy0", "dummy")], [],
    ] as [[(String, String?)]])
  func aBridgeOfGuestsLeadsToNobodyElse(ports: [(String, String?)]) throws {
    let links = ports.enumerated().map { port(Int32(10 + $0), $1.0, $1.1) }
    #expect(try guests(links.flatMap(\.self)) == ["br0"])
  }

  @Test func onlyBridgesAndGuestsCablesAreAskedForWhereTheyLead() throws {
    let bridge = port(10, "eth0", nil)
    #expect(try guests(bridge, port(11, "docker0", "openvswitch", of: nil)) == [])
    #expect(try guests(bridge, port(11, "eth1", "veth", of: nil), port(12, "br-lan", nil, of: nil)) == [])
    #expect(
      try guests(bridge, port(11, "ve-web", "veth", of: nil), port(12, "cali1a", "veth", of: nil)) == [
        "ve-web", "cali1a",
      ])
    #expect(try guests(bridge, port(11, "cali0", nil, of: nil)) == [])
  }

  @Test func portsComeAndGo() throws {
    let veth = Fixture.link(index: 10, name: "veth1", master: 5, kind: "veth")
    var table = try InterfaceTable.listed(Fixture.link(index: 5, name: "br-lan", kind: "bridge") + veth)
    func leadsToGuestsOnly() -> Bool? { table.interfaces.first { $0.index == 5 }?.leadsToGuestsOnly }
    #expect(leadsToGuestsOnly() == true)
    #expect(table.apply(Fixture.link(index: 11, name: "eth0", master: 5)).isChanged)
    #expect(leadsToGuestsOnly() == false)
    #expect(table.apply(Fixture.link(index: 11, name: "eth0")).isChanged, "let go")
    #expect(leadsToGuestsOnly() == true)
    _ = table.apply(Fixture.link(index: 11, name: "eth0", master: 5))
    // What a bridge tells of its port says nothing of the link's own kind.
    _ = table.apply(Fixture.link(Fixture.deleteLink, index: 10, name: "veth1", family: 7))
    #expect(leadsToGuestsOnly() == false)
    #expect(table.apply(Fixture.link(Fixture.deleteLink, index: 11, name: "eth0")).isChanged, "pulled out")
    #expect(leadsToGuestsOnly() == true)
    // A message that leaves the kind out doesn't change it.
    #expect(!table.apply(Fixture.link(index: 10, name: "veth1", master: 5)).isChanged)
    #expect(leadsToGuestsOnly() == true)
  }

  @Test func listsAgainWhenTheListWasInterrupted() throws {
    var table = InterfaceTable()
    let first = InterfaceTable.sequence(of: table.begin())
    _ = table.apply(Fixture.link(index: 9, name: "old0", sequence: first, messageFlags: 0x10))
    let again = try #require(table.apply(Fixture.done(sequence: first)).request)
    #expect(again[4] == 18)
    let second = InterfaceTable.sequence(of: again)
    #expect(second != first)
    #expect(table.apply(Fixture.done(sequence: first)) == InterfaceTable.Step(), "of the list before")
    _ = table.apply(eth0)
    let addresses = try #require(table.apply(Fixture.done(sequence: second)).request)
    let routes = try #require(
      table.apply(Fixture.done(sequence: InterfaceTable.sequence(of: addresses))).request)
    _ = table.apply(Fixture.done(sequence: InterfaceTable.sequence(of: routes)))
    #expect(table.interfaces.map(\.name) == ["eth0"])
  }

  @Test func anInterruptionWithoutEndIsAccepted() throws {
    var table = InterfaceTable()
    var request: [UInt8]? = table.begin()
    var requests = 0
    while let sent = request, requests < 20 {
      requests += 1
      request = table.apply(Fixture.done(sequence: InterfaceTable.sequence(of: sent), flags: 0x12)).request
    }
    #expect((4...8).contains(requests))
  }

  @Test func forgetsEverythingWhenItBegins() throws {
    var table = try InterfaceTable.listed(eth0, home)
    _ = table.begin()
    #expect(table.interfaces.isEmpty)
  }

  @Test func tellsRefusals() {
    var table = InterfaceTable()
    let sequence = InterfaceTable.sequence(of: table.begin())
    #expect(table.apply(Fixture.error(16, sequence: sequence)).failure == 16)
    #expect(table.apply(Fixture.error(16, sequence: sequence &+ 1)).failure == nil, "nobody asked")
  }

  @Test func survivesEveryCutAndEveryWrongByte() throws {
    let good =
      Fixture.link(index: 2, name: "eth0", kind: "veth") + home
      + Fixture.address(index: 2, address: Fixture.linkLocal(3), prefix: 64)
      + Fixture.route(to: Fixture.linkLocal(0), prefix: 64, index: 2)
    for length in 0...good.count {
      var table = try InterfaceTable.listed(eth0)
      _ = table.apply(Array(good.prefix(length)))
      #expect(table.interfaces.count == 1)
    }
    for position in good.indices {
      for value in [0, 1, 4, 0x7f, 0xff] as [UInt8] {
        var table = try InterfaceTable.listed(eth0, home)
        var bytes = good
        bytes[position] = value
        _ = table.apply(bytes)
        #expect(table.interfaces.count <= 4)
      }
    }
  }

  @Test func anErrorWithoutAPositiveNumberIsNone() {
    var table = InterfaceTable()
    let sequence = InterfaceTable.sequence(of: table.begin())
    let message = Fixture.message(
      Fixture.error, sequence: sequence, Fixture.bytes(Int32.min) + Array(repeating: 0, count: 16))
    #expect(table.apply(message) == InterfaceTable.Step())
  }

  @Test func holdsABoundedNumberOfAddresses() throws {
    var table = try InterfaceTable.listed(eth0)
    for number in 0..<1000 {
      let address = [10, 0, UInt8(number >> 8), UInt8(number & 255)]
      _ = table.apply(Fixture.address(index: 2, address: address, prefix: 8))
    }
    #expect(table.addresses(2).count == InterfaceTable.maximumAddresses)
  }
  @Test func holdsABoundedNumberOfLinks() throws {
    var table = try InterfaceTable.listed(eth0)
    for number in 0..<2000 { _ = table.apply(Fixture.link(index: Int32(100 + number), name: "x\(number)")) }
    #expect(table.interfaces.count <= InterfaceTable.maximumLinks)
    // Those that are known are followed all the same.
    _ = table.apply(Fixture.address(index: 2, address: [10, 0, 0, 9], prefix: 8))
    #expect(table.addresses(2).count > 0)
  }
}
