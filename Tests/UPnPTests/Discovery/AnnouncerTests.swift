import NIOCore
import SeededRandom
import Testing

@testable import UPnP

/// An announcer with a clock that is moved by hand.
private struct Stage {
  /// One message in few words: `  125 alive upnp:rootdevice`.
  struct Line: Hashable {
    var time: Int
    var endpoint: SSDPEndpoint
    var message: SSDPMessage

    var kind: String {
      switch message.kind {
      case .alive: "alive"
      case .byebye: "byebye"
      case .update(let next): "update to \(next)"
      case .response: "response"
      }
    }
    var target: String { message.advertisement.target }
  }

  var announcer: Announcer
  var random = SeededRandom(seed: 1)
  /// Milliseconds.
  var now = 0
  let wallClock: Int

  init(
    _ devices: [RootDevice] = [DiscoveryFixture.renderer], bootID: Int = 1000, wallClock: Int = 500,
    maxAge: Int = 1800, seed: UInt64 = 1
  ) {
    announcer = Announcer(
      advertisements: AdvertisementSet(devices), bootID: BootID(bootID), maxAge: maxAge)
    random = SeededRandom(seed: seed)
    self.wallClock = wallClock
  }

  var instant: NIODeadline { DiscoveryFixture.time(milliseconds: now) }

  mutating func start() { announcer.start(now: instant, using: &random) }

  mutating func set(_ endpoints: [SSDPEndpoint]) {
    announcer.setEndpoints(endpoints, now: instant, wallClock: wallClock, using: &random)
  }

  mutating func set(_ devices: [RootDevice], configID: Int) {
    announcer.setAdvertisements(
      AdvertisementSet(devices, configID: configID), now: instant, wallClock: wallClock, using: &random)
  }

  /// Everything that leaves in the next `milliseconds`, woken only at the announcer's own deadlines.
  mutating func run(_ milliseconds: Int) -> [Line] {
    var lines: [Line] = []
    let end = now + milliseconds
    var wakeups = 0
    while true {
      lines += announcer.due(now: instant, using: &random).map {
        Line(time: now, endpoint: $0.endpoint, message: $0.message)
      }
      guard let next = announcer.nextDeadline else { break }
      let time = Int((next - .uptimeNanoseconds(0)).nanoseconds + 999_999) / 1_000_000
      guard time <= end, wakeups < 10_000 else { break }
      wakeups += 1
      now = max(now, time)
    }
    now = end
    return lines
  }
}

@Suite struct AnnouncerTests {
  private let eth0 = DiscoveryFixture.eth0
  private let eth0IPv6 = DiscoveryFixture.eth0IPv6
  private let wlan0 = DiscoveryFixture.wlan0
  private let targets = AdvertisementSet([DiscoveryFixture.renderer]).devices[0].map(\.target)

  @Test func isSilentBeforeTheStartAndWithoutANetwork() {
    var stage = Stage()
    stage.set([eth0])
    #expect(stage.run(10_000).isEmpty)
    stage.set([])
    stage.start()
    #expect(stage.run(10_000).isEmpty)
    #expect(stage.announcer.nextDeadline == nil, "nothing to wake up for")
  }

  @Test func startsWithByebyeAndTheFirstAliveAtOnce() {
    var stage = Stage()
    stage.set([eth0])
    stage.start()
    let first = stage.announcer.due(now: stage.instant, using: &stage.random)
    #expect(first.map(\.message.kind) == Array(repeating: .byebye, count: 6) + [.alive])
    #expect(first.map(\.message.advertisement.target) == targets + ["upnp:rootdevice"])
    #expect(first.allSatisfy { $0.message.bootID == 1000 && $0.message.configID == 1 })
    #expect(first.allSatisfy { $0.message.location == eth0.address && $0.message.group == .ipv4 })
  }

  @Test func sendsThreeCopiesSpread() {
    var stage = Stage()
    stage.set([eth0])
    stage.start()
    let alive = stage.run(5000).filter { $0.kind == "alive" }
    #expect(alive.map(\.target) == targets + targets + targets)
    #expect(zip(alive, alive.dropFirst()).allSatisfy { $1.time - $0.time >= 20 })
    #expect(alive[6].time - alive[5].time >= 300)
    #expect(alive[12].time - alive[11].time >= 1000)
  }

  @Test func noByebyeFollowsAnAliveOnAnotherEndpoint() {
    var stage = Stage()
    stage.set([eth0, eth0IPv6, wlan0])
    stage.start()
    let kinds = stage.run(5000).map(\.kind)
    #expect(kinds.lastIndex(of: "byebye") == 17)
    #expect(kinds.firstIndex(of: "alive") == 18)
  }

  @Test func refreshesBetweenAQuarterAndHalfOfMaxAge() {
    var gaps: Set<Int> = []
    for seed in 0..<40 {
      var stage = Stage(seed: UInt64(seed))
      stage.set([eth0])
      stage.start()
      _ = stage.run(10_000)
      let roots = stage.run(4_000_000).filter { $0.target == "upnp:rootdevice" }
      // Two copies each time.
      let refreshes = stride(from: 0, to: roots.count, by: 2).map { roots[$0].time }
      #expect(roots.allSatisfy { $0.kind == "alive" })
      #expect((4...9).contains(refreshes.count))
      for (earlier, later) in zip([0] + refreshes, refreshes) {
        #expect((450_000...900_100).contains(later - earlier))
        gaps.insert((later - earlier) / 10_000)
      }
    }
    #expect(gaps.count > 20, "at random instants")
  }

  @Test func refreshesDevicesAtDifferentTimes() {
    var stage = Stage([DiscoveryFixture.renderer, DiscoveryFixture.source])
    stage.set([eth0])
    stage.start()
    _ = stage.run(10_000)
    let roots = stage.run(900_000).filter { $0.target == "upnp:rootdevice" }
    let times = Dictionary(grouping: roots, by: \.message.advertisement.udn).mapValues { $0[0].time }
    #expect(times.count == 2)
    #expect(abs((times["X"] ?? 0) - (times["X-MediaRenderer"] ?? 0)) > 1000)
  }

  @Test func keepsItsDistanceWhenItIsWokenLate() {
    var stage = Stage()
    stage.set([eth0])
    stage.start()
    _ = stage.announcer.due(now: stage.instant, using: &stage.random)
    stage.now = 60_000
    #expect(stage.announcer.due(now: stage.instant, using: &stage.random).count == 1)
    #expect(stage.announcer.due(now: stage.instant, using: &stage.random).isEmpty)
  }

  @Test func tellsWorkingEndpointsOfANewInterface() {
    var stage = Stage(wallClock: 5000)
    stage.set([eth0])
    stage.start()
    _ = stage.run(10_000)
    stage.set([eth0, wlan0])
    let lines = stage.run(10_000)
    let old = lines.filter { $0.endpoint == eth0 }
    #expect(
      old.map(\.kind) == Array(repeating: "update to 5000", count: 6) + Array(repeating: "alive", count: 18))
    #expect(old.prefix(6).allSatisfy { $0.message.bootID == 1000 })
    #expect(old.prefix(6).map(\.target) == targets)
    #expect(old.dropFirst(6).allSatisfy { $0.message.bootID == 5000 })
    #expect(zip(old, old.dropFirst()).allSatisfy { $1.time - $0.time >= 20 })
    let new = lines.filter { $0.endpoint == wlan0 }
    #expect(new.map(\.kind) == Array(repeating: "byebye", count: 6) + Array(repeating: "alive", count: 18))
    #expect(new.allSatisfy { $0.message.bootID == 5000 && $0.message.location == wlan0.address })
    #expect(stage.announcer.bootID.value == 5000)
  }

  /// A device that comes or goes doesn't make control points lose the others.
  @Test func devicesThatStayAreNotWithdrawn() {
    var stage = Stage([DiscoveryFixture.renderer, DiscoveryFixture.source], wallClock: 5000)
    stage.set([eth0])
    stage.start()
    _ = stage.run(10_000)
    for (devices, withdrawn) in [
      ([DiscoveryFixture.renderer], ["X"]), ([DiscoveryFixture.renderer, DiscoveryFixture.source], []),
    ] {
      let before = stage.announcer.bootID.value
      stage.set(devices, configID: 1)
      let lines = stage.run(10_000)
      func udns(_ kind: String) -> Set<String> {
        Set(lines.filter { $0.kind.hasPrefix(kind) }.map(\.message.advertisement.udn))
      }
      #expect(udns("byebye") == Set(withdrawn))
      #expect(udns("update") == ["X-MediaRenderer"])
      #expect(udns("alive") == Set(devices.map(\.device.udn)))
      #expect(stage.announcer.bootID.value > before)
      #expect(lines.filter { $0.kind.hasPrefix("update") }.allSatisfy { $0.message.bootID == before })
    }
  }

  @Test func aSecondEndpointOfALinkSaysNoByebye() {
    var stage = Stage()
    stage.set([eth0])
    stage.start()
    _ = stage.run(10_000)
    stage.set([eth0, eth0IPv6])
    #expect(!stage.run(10_000).contains { $0.kind == "byebye" })
  }

  @Test func anAddressChangeIsGoneAndAdded() {
    var stage = Stage()
    stage.set([eth0, eth0IPv6])
    stage.start()
    _ = stage.run(10_000)
    let changed = SSDPEndpoint(interfaceIndex: 2, address: .v4(0xc0a8_0199), group: .ipv4)
    stage.set([changed, eth0IPv6])
    let lines = stage.run(10_000)
    #expect(!lines.contains { $0.endpoint == eth0 })
    #expect(
      lines.filter { $0.endpoint == changed }.map(\.kind)
        == Array(repeating: "byebye", count: 6) + Array(repeating: "alive", count: 18))
    #expect(lines.first { $0.endpoint == eth0IPv6 }?.kind == "update to 1001")
  }

  @Test func forgetsAnInterfaceThatIsGone() {
    var stage = Stage()
    stage.set([eth0, wlan0])
    stage.start()
    _ = stage.run(30)
    stage.set([wlan0])
    let lines = stage.run(1_000_000)
    #expect(!lines.isEmpty && lines.allSatisfy { $0.endpoint == wlan0 && $0.kind == "alive" })
    #expect(stage.announcer.bootID.value == 1000)
  }

  @Test func comesBackAsANewBootInstance() {
    var stage = Stage()
    stage.set([eth0])
    stage.start()
    _ = stage.run(10_000)
    stage.set([])
    #expect(stage.announcer.nextDeadline == nil)
    stage.set([eth0])
    let lines = stage.run(5000)
    #expect(lines.map(\.kind) == Array(repeating: "byebye", count: 6) + Array(repeating: "alive", count: 18))
    #expect(lines.allSatisfy { $0.message.bootID == 1001 })
  }

  @Test func theSameEndpointsChangeNothing() {
    var stage = Stage()
    stage.set([eth0, wlan0])
    stage.start()
    _ = stage.run(10_000)
    let next = stage.announcer.nextDeadline
    stage.set([wlan0, eth0])
    #expect(stage.announcer.nextDeadline == next)
    #expect(stage.run(10_000).isEmpty)
  }

  @Test func aRenamedDeviceGoesAndComesBack() {
    var stage = Stage()
    stage.set([eth0])
    stage.start()
    _ = stage.run(10_000)
    stage.set([DiscoveryFixture.renderer, DiscoveryFixture.source], configID: 2)
    let lines = stage.run(10_000)
    let byebyes = lines.filter { $0.kind == "byebye" }
    #expect(byebyes.map(\.target) == targets)
    #expect(byebyes.allSatisfy { $0.message.configID == 1 && $0.message.bootID == 1000 })
    let alive = lines.dropFirst(byebyes.count)
    #expect(alive.count == 36)
    #expect(alive.allSatisfy { $0.kind == "alive" && $0.message.configID == 2 && $0.message.bootID == 1001 })
    stage.set([DiscoveryFixture.renderer, DiscoveryFixture.source], configID: 2)
    #expect(stage.run(10_000).isEmpty, "nothing has changed")
  }

  @Test func saysGoodbyeTwiceAndQuickly() {
    var stage = Stage([DiscoveryFixture.renderer, DiscoveryFixture.source])
    stage.set([eth0, wlan0])
    stage.start()
    _ = stage.run(200)
    let begin = stage.now
    stage.announcer.stop(now: stage.instant)
    #expect(!stage.announcer.isFinished)
    let lines = stage.run(10_000)
    #expect(lines.count == 2 * 2 * 12)
    #expect(lines.allSatisfy { $0.kind == "byebye" && $0.message.bootID == 1000 })
    #expect((lines.last?.time ?? .max) - begin < 250)
    #expect(stage.announcer.isFinished)
    #expect(stage.announcer.nextDeadline == nil)
    stage.set([eth0])
    stage.set([], configID: 9)
    #expect(stage.run(10_000).isEmpty, "silence after the byebye")
  }

  @Test func stopsAtOnceWithoutANetwork() {
    var stage = Stage()
    stage.start()
    stage.announcer.stop(now: stage.instant)
    #expect(stage.announcer.isFinished)
    var never = Stage()
    never.set([eth0])
    never.announcer.stop(now: never.instant)
    #expect(never.announcer.isFinished, "what was never announced needs no byebye")
  }

  @Test func anInterfaceThatGoesWhileStoppingIsNotWaitedFor() {
    var stage = Stage()
    stage.set([eth0])
    stage.start()
    _ = stage.run(10_000)
    stage.announcer.stop(now: stage.instant)
    stage.set([])
    #expect(stage.announcer.isFinished)
  }

  @Test func aDeviceListMayBeEmpty() {
    var stage = Stage([])
    stage.set([eth0])
    stage.start()
    #expect(stage.run(4_000_000).isEmpty)
    stage.announcer.stop(now: stage.instant)
    #expect(stage.announcer.isFinished)
  }
}
