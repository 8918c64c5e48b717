import Network
import Testing

@testable import ControlPoint

/// Between hosts of their own, each test in a process of its own: see ``PrivateHosts``.
@Suite(.enabled(if: PrivateHosts.isPossible), .timeLimit(.minutes(6))) struct HostTests {
  @Test func twoCablesAndOneIsPulled() async {
    await #expect(processExitsWith: .success) { try await BetweenHosts.twoCablesAndOneIsPulled() }
  }

  @Test func aGoodbyeThatIsLost() async {
    await #expect(processExitsWith: .success) { try await BetweenHosts.aGoodbyeThatIsLost() }
  }

  @Test func aDeviceThatMovesAndARestart() async {
    await #expect(processExitsWith: .success) { try await BetweenHosts.aDeviceThatMovesAndARestart() }
  }

  @Test func twoDevicesWithOneUDN() async {
    await #expect(processExitsWith: .success) { try await BetweenHosts.twoDevicesWithOneUDN() }
  }

  @Test func twoHundredDevices() async {
    await #expect(processExitsWith: .success) { try await BetweenHosts.twoHundredDevices(maximum: 256) }
  }

  @Test func moreDevicesThanMaximum() async {
    await #expect(processExitsWith: .success) { try await BetweenHosts.twoHundredDevices(maximum: 64) }
  }
}

private enum BetweenHosts {
  static func twoCablesAndOneIsPulled() async throws {
    let hosts = try await PrivateHosts()
    try await hosts.connect("one", 1)
    try await hosts.connect("two", 2)
    let server = Finding.server([Finding.device("a")], on: hosts.theirs)
    try await server.start()
    let controlPoint = Finding.controlPoint(on: hosts.ours)
    let changes = await controlPoint.devices([.mediaServer])
    // Both cables, with an IPv4 and a link-local IPv6 address each.
    while await controlPoint.known().first?.locations.count != 4 {
      try await Task.sleep(for: .milliseconds(20))
    }
    let device = try #require(await controlPoint.known().first)
    #expect(Set(device.locations.map(\.interface)).count == 2)
    #expect(device.locations.filter { $0.address.interface != nil }.count == 2)

    let used = device.services[0].control.address
    let link = device.locations[0].interface
    let isOne = device.locations.contains {
      $0.interface == link && $0.address.address == IPAddress("10.0.1.2")
    }
    let pulled = isOne ? "one" : "two"
    try await hosts.run(hosts.theirs, "ip link set \(pulled) down")
    let moved = try #require(await changes.next { $0.device.services[0].control.address != used })
    #expect(moved.short == "updated A")
    // The other as well: it is gone after some seconds.
    try await hosts.run(hosts.theirs, "ip link set one down; ip link set two down")
    #expect(await changes.next(where: \.isGone)?.short == "expired A")
    // And it is found again.
    try await hosts.run(hosts.theirs, "ip link set one up; ip link set two up")
    #expect(await changes.next { $0.short == "appeared A" } != nil)
    await controlPoint.stop()
    await server.stop()
    try await hosts.close()
  }

  static func aGoodbyeThatIsLost() async throws {
    let hosts = try await PrivateHosts()
    try await hosts.connect("one", 1)
    let server = Finding.server([Finding.device("a")], on: hosts.theirs)
    try await server.start()
    let controlPoint = Finding.controlPoint(on: hosts.ours, ages: 1...5)
    let changes = await controlPoint.devices([.mediaServer])
    #expect(await changes.next { $0.short == "appeared A" } != nil)
    // Nothing leaves it any more.
    try await hosts.run(hosts.theirs, "tc qdisc replace dev one root pfifo limit 0")
    let clock = ContinuousClock()
    let start = clock.now
    await server.stop()
    #expect(await changes.next(where: \.isGone)?.short == "expired A")
    #expect(clock.now - start <= .seconds(50))
    await controlPoint.stop()
    try await hosts.close()
  }

  static func aDeviceThatMovesAndARestart() async throws {
    let hosts = try await PrivateHosts()
    try await hosts.connect("one", 1)
    let controlPoint = Finding.controlPoint(on: hosts.ours)
    let changes = await controlPoint.devices([.mediaServer])
    let server = Finding.server([Finding.device("a")], on: hosts.theirs, port: 5001)
    try await server.start()
    #expect(await changes.next { $0.short == "appeared A" } != nil)
    // Another address, as from DHCP.
    try await hosts.run(hosts.theirs, "ip addr del 10.0.1.2/24 dev one; ip addr add 10.0.1.77/24 dev one")
    let new = IPAddress("10.0.1.77")
    let moved = await changes.next { $0.device.locations.contains { $0.address.address == new } }
    #expect(moved?.device.udn == "a")
    // Without a goodbye, on another port, with another name.
    try await hosts.run(hosts.theirs, "ip link set one multicast off")
    try await Task.sleep(for: .milliseconds(200))
    await server.stop()
    try await hosts.run(hosts.theirs, "ip link set one multicast on")
    let second = Finding.server(
      [Finding.device("a", name: "B")], on: hosts.theirs, port: 5002, bootID: 9_999_999)
    try await second.start()
    let restarted = await changes.next { $0.device.friendlyName == "B" }
    #expect(restarted?.device.services[0].control.port == 5002)
    await controlPoint.stop()
    await second.stop()
    try await hosts.close()
  }

  static func twoDevicesWithOneUDN() async throws {
    let hosts = try await PrivateHosts()
    try await hosts.connect("one", 1)
    let first = Finding.server(
      [Finding.device("a", name: "first")], on: hosts.theirs, port: 5001, bootID: 100)
    try await first.start()
    let controlPoint = Finding.controlPoint(on: hosts.ours)
    let changes = await controlPoint.devices([.mediaServer])
    #expect(await changes.next { $0.short == "appeared first" } != nil)
    let second = Finding.server(
      [Finding.device("a", name: "second")], on: hosts.theirs, port: 5002, bootID: 200)
    try await second.start()
    for _ in 0..<4 {
      await controlPoint.search()
      try await Task.sleep(for: .seconds(1))
    }
    #expect(await controlPoint.known().map(\.friendlyName) == ["first"])
    // The first is gone, so the second takes its place.
    await first.stop()
    let last = await changes.next { $0.device.friendlyName == "second" }
    #expect(last != nil)
    await controlPoint.stop()
    await second.stop()
    try await hosts.close()
  }

  static func twoHundredDevices(maximum: Int) async throws {
    let hosts = try await PrivateHosts()
    try await hosts.connect("one", 1)
    let devices = (0..<200).map { Finding.device("device-\($0)", name: "\($0)") }
    let servers = (0..<10).map { number in
      Finding.server(Array(devices[number * 20..<number * 20 + 20]), on: hosts.theirs, port: 5000 + number)
    }
    for server in servers { try await server.start() }
    let controlPoint = Finding.controlPoint(on: hosts.ours, maximum: maximum)
    let clock = ContinuousClock()
    let start = clock.now
    let changes = await controlPoint.devices([.mediaServer])
    var found: Set<String> = []
    while found.count < min(maximum, 200), let change = await changes.next() {
      // The goodbyes at the start of the servers may come late.
      if change.isGone { found.remove(change.device.udn) } else { found.insert(change.device.udn) }
    }
    print("\(found.count) devices after \(clock.now - start)")
    // What fails on a busy machine is tried again after a minute.
    #expect(clock.now - start < .seconds(200))
    for _ in 0..<2000 where await controlPoint.known().count != min(maximum, 200) {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(await controlPoint.known().count == min(maximum, 200))
    await controlPoint.stop()
    for server in servers { await server.stop() }
    try await hosts.close()
  }
}

extension DeviceChange {
  fileprivate var isGone: Bool {
    switch self {
    case .expired, .left: true
    default: false
    }
  }
}
