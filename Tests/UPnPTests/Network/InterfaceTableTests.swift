import Testing

@testable import UPnP

private typealias Fixture = NetlinkFixture

extension InterfaceTable {
  fileprivate mutating func apply(_ bytes: [UInt8]) -> Step { bytes.withUnsafeBytes { apply($0) } }

  /// A table that has listed `links` and `addresses`.
  fileprivate static func listed(_ links: [UInt8], _ addresses: [UInt8] = []) throws -> InterfaceTable {
    var table = InterfaceTable()
    let first = sequence(of: table.begin())
    _ = table.apply(links)
    let request = try #require(table.apply(Fixture.done(sequence: first)).request)
    _ = table.apply(addresses)
    #expect(table.apply(Fixture.done(sequence: sequence(of: request))) == Step(isChanged: true))
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

  @Test func asksForLinksThenForAddresses() throws {
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
    #expect(table.apply(Fixture.done(sequence: InterfaceTable.sequence(of: second))).isChanged)
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
    _ = table.apply(Fixture.done(sequence: InterfaceTable.sequence(of: addresses)))
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
    #expect((3...8).contains(requests))
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
    let good = eth0 + home + Fixture.address(index: 2, address: Fixture.linkLocal(3), prefix: 64)
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
