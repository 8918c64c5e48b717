import NIOCore
import Network
import SeededRandom
import Testing
import UPnP

@testable import ControlPoint

/// A network where everything goes wrong, as the truth that the table is compared with.
private struct World {
  struct Place: Hashable {
    var interface: Int
    var host: UInt32
    var port: Int

    var url: String { "http://\(IPAddress.v4(host)):\(port)/d.xml" }
  }

  struct Box {
    var udn: String
    var name: String
    var isUp = true
    var bootID: Int
    var configID = 1
    var places: [Place]
    /// Since when it has been there, at these places, without a goodbye of its UDN.
    var steadySince = NIODeadline.uptimeNanoseconds(0)
    /// It was heard since then.
    var isHeard = false
  }

  var boxes: [Box] = []
  var links: Set<Int> = [2, 3]
  private var lastHost: UInt32 = 20

  init(using random: inout SeededRandom) {
    for number in 0..<6 {
      // The last two share a UDN.
      let udn = number == 5 ? "4" : "\(number)"
      boxes.append(Box(udn: udn, name: "", bootID: 1 + number * 1000, places: []))
      move(number, using: &random)
      rename(number)
    }
  }

  mutating func rename(_ index: Int) {
    boxes[index].configID += 1
    boxes[index].name = "\(index)-\(boxes[index].bootID)-\(boxes[index].configID)"
  }

  mutating func move(_ index: Int, using random: inout SeededRandom) {
    lastHost = 20 + (lastHost - 19) % 200
    let port = Int.random(in: 80...81, using: &random)
    let all = [
      Place(interface: 2, host: 0xc0a8_0100 + lastHost, port: port),
      Place(interface: 3, host: 0x0a00_0000 + lastHost, port: port),
    ]
    boxes[index].places = Bool.random(using: &random) ? all : [all[Int.random(in: 0...1, using: &random)]]
  }

  /// The description that is at this URL now.
  func document(at url: String) -> RootDescription? {
    boxes.first { box in
      box.isUp && box.places.contains { $0.url == url && links.contains($0.interface) }
    }.flatMap { TableRig.document($0.udn, name: $0.name) }
  }
}

@Suite struct TableScheduleTests {
  private struct Schedule {
    var random: SeededRandom
    var rig: TableRig
    var world: World
    var picture: [String: FoundDevice] = [:]
    /// When each fetch that runs will be answered.
    var answers: [Int: NIODeadline] = [:]

    init(seed: UInt64, limits: DeviceTable.Limits) {
      random = SeededRandom(seed: seed)
      rig = TableRig(limits)
      world = World(using: &random)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func announce(_ index: Int, _ kind: String = "ssdp:alive", lost: Int) {
      let box = world.boxes[index]
      for place in box.places where world.links.contains(place.interface) && !chance(lost) {
        rig.hear(
          TableRig.notice(
            kind, udn: box.udn, location: place.url, bootID: box.bootID, configID: box.configID),
          from: .v4(place.host), interface: place.interface)
        if kind == "ssdp:alive" { world.boxes[index].isHeard = true }
        check()
      }
    }

    mutating func setLinks(_ links: Set<Int>) {
      world.links = links
      rig.table.setInterfaces(
        [TableRig.eth0, TableRig.wlan0].filter { links.contains($0.index) }, now: rig.now)
      rig.proceed()
      check()
    }

    mutating func unsettle(_ udn: String) {
      for index in world.boxes.indices where world.boxes[index].udn == udn {
        world.boxes[index].steadySince = rig.now
        world.boxes[index].isHeard = false
      }
    }

    mutating func disturb() {
      let index = Int.random(in: 0..<world.boxes.count, using: &random)
      let udn = world.boxes[index].udn
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1, 2: if world.boxes[index].isUp { announce(index, lost: 20) }
      case 3:
        let wasUp = world.boxes[index].isUp
        world.boxes[index].isUp = false
        unsettle(udn)
        if wasUp { announce(index, "ssdp:byebye", lost: 30) }
      case 4:
        world.boxes[index].isUp = false
        unsettle(udn)
      case 5:
        world.boxes[index].isUp = true
        world.boxes[index].bootID += 1
        world.rename(index)
        unsettle(udn)
        announce(index, lost: 20)
      case 6:
        world.move(index, using: &random)
        unsettle(udn)
        announce(index, lost: 20)
      case 7:
        world.rename(index)
        announce(index, lost: 20)
      default:
        let links: Set<Int> = [[2, 3], [2], [3], [], [2, 3], [2, 3]][Int.random(in: 0..<6, using: &random)]
        if links != world.links { for box in world.boxes { unsettle(box.udn) } }
        setLinks(links)
      }
      check()
    }

    /// Lets time pass, with everything that becomes due, and with answers that take up to five seconds.
    mutating func pass(_ time: TimeAmount) {
      let end = rig.now + time
      while true {
        for fetch in rig.asked where answers[fetch.token] == nil {
          answers[fetch.token] = rig.now + .milliseconds(Int64.random(in: 1...5000, using: &random))
        }
        answers = answers.filter { token, _ in rig.asked.contains { $0.token == token } }
        let answer = answers.min { ($0.value, $0.key) < ($1.value, $1.key) }
        guard let next = [answer?.value, rig.table.nextDeadline].compactMap(\.self).min(), next <= end else {
          break
        }
        rig.now = max(next, rig.now)
        if let answer, answer.value == next,
          let index = rig.asked.firstIndex(where: { $0.token == answer.key })
        {
          let url = rig.asked.remove(at: index).url
          rig.table.finish(answer.key, world.document(at: url), now: rig.now)
        }
        rig.proceed()
        check()
      }
      rig.now = end
    }

    /// What has to be true at any moment.
    mutating func check() {
      for change in rig.changes {
        let device = change.device
        switch change {
        case .appeared: #expect(picture.updateValue(device, forKey: device.udn) == nil)
        case .updated, .restarted: #expect(picture.updateValue(device, forKey: device.udn) != nil)
        case .expired, .left:
          #expect(picture.removeValue(forKey: device.udn) != nil)
          let isThere = world.boxes.contains {
            $0.udn == device.udn && $0.isUp && $0.isHeard && $0.steadySince < rig.now
              && $0.places.contains { world.links.contains($0.interface) }
          }
          #expect(!isThere || rig.table.limits.devices < 6, "\(device.friendlyName) is there")
        }
      }
      rig.changes = []
      let zero = NIODeadline.uptimeNanoseconds(0)
      let known = rig.table.devices.map { $0.seen(at: zero) }
      #expect(known == picture.values.sorted { $0.udn < $1.udn }.map { $0.seen(at: zero) })
      let (entries, limits) = (rig.table.entries, rig.table.limits)
      #expect(entries.count <= limits.devices)
      #expect(entries.values.allSatisfy { $0.locations.count <= limits.locations && !$0.locations.isEmpty })
      #expect(rig.table.runningCount <= limits.fetches && rig.table.runningCount == rig.asked.count)
      #expect(entries.values.compactMap(\.token).sorted() == rig.asked.map(\.token).sorted())
      if let next = rig.table.nextDeadline { #expect(next > rig.now, "it would be called all the time") }
    }

    /// Lets everything go right from now on, as long as it takes to see everything.
    mutating func calm() {
      setLinks([2, 3])
      for _ in 0..<20 {
        for index in world.boxes.indices where world.boxes[index].isUp { announce(index, lost: 0) }
        pass(.minutes(5))
      }
    }
  }

  @Test(arguments: 0..<60 as Range<UInt64>) func theTruthIsSeenInTheEnd(seed: UInt64) {
    var schedule = Schedule(seed: seed, limits: .init(devices: 16, locations: 4))
    for _ in 0..<150 {
      schedule.disturb()
      schedule.pass(
        .milliseconds([1, 100, 5000, 60_000, 600_000][Int.random(in: 0..<5, using: &schedule.random)]))
    }
    schedule.calm()
    let there = schedule.world.boxes.filter(\.isUp)
    #expect(Set(schedule.picture.keys) == Set(there.map(\.udn)))
    for device in schedule.picture.values {
      let box = there.first { $0.name == device.friendlyName }
      #expect(box?.udn == device.udn, "\(device.friendlyName) is an old description")
      #expect(box?.bootID == device.bootID && box?.configID == device.configID)
      #expect(box?.places.contains { $0.url == device.locations[0].url } ?? false)
      let hosts = Set(box?.places.map(\.url) ?? [])
      #expect(device.udn == "4" || Set(device.locations.map(\.url)) == hosts)
    }
    // And when all is quiet, all of them go.
    for index in schedule.world.boxes.indices { schedule.world.boxes[index].isUp = false }
    schedule.pass(.minutes(40))
    #expect(schedule.picture.isEmpty && schedule.rig.table.entries.isEmpty)
    #expect(schedule.rig.table.nextDeadline == nil)
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func boundsHoldWhateverComes(seed: UInt64) {
    var schedule = Schedule(seed: seed, limits: .init(devices: 3, locations: 2, fetches: 1))
    for _ in 0..<300 {
      schedule.disturb()
      schedule.pass(
        .milliseconds([1, 100, 5000, 60_000, 600_000][Int.random(in: 0..<5, using: &schedule.random)]))
    }
    #expect(schedule.picture.count <= 3)
  }
}
