import NIOCore
import Network
import SeededRandom
import Testing

@testable import HTTP
@testable import UPnP

@Suite final class SearchResponderTests {
  private var random = SeededRandom(seed: 1)
  private var responder = SearchResponder(now: DiscoveryFixture.time(milliseconds: 0))
  private let set = AdvertisementSet([DiscoveryFixture.renderer, DiscoveryFixture.source])
  private let phone = SearchResponder.Searcher(address: .v4(0xc0a8_0177), port: 50_000, interfaceIndex: 2)

  private func search(
    _ target: String, mx: Int = 3, from searcher: SearchResponder.Searcher? = nil, unicast: Bool = false,
    at milliseconds: Int = 0, interfaces: [NetworkInterface] = DiscoveryFixture.interfaces
  ) -> SearchResponder.Verdict {
    responder.receive(
      SearchRequest(target: target, mx: mx), from: searcher ?? phone, isUnicast: unicast, advertisements: set,
      interfaces: interfaces, now: DiscoveryFixture.time(milliseconds: milliseconds), using: &random)
  }

  /// All answers with their times, woken only at the responder's own deadlines.
  private func answers(until end: Int = 100_000) -> [(time: Int, response: SearchResponder.Response)] {
    var answers: [(time: Int, response: SearchResponder.Response)] = []
    while let next = responder.nextDeadline, next <= DiscoveryFixture.time(milliseconds: end) {
      let time = Int((next - .uptimeNanoseconds(0)).nanoseconds / 1_000_000)
      let due = responder.due(now: next)
      #expect(!due.isEmpty, "a deadline has a reason")
      answers += due.map { (time, $0) }
    }
    return answers
  }

  @Test func answersWithinMX() {
    var times: [Int] = []
    for port in 1...200 {
      let searcher = SearchResponder.Searcher(
        address: .v4(0x0a00_0100 + UInt32(port)), port: port, interfaceIndex: 3)
      #expect(search("urn:schemas-upnp-org:device:MediaRenderer:1", mx: 2, from: searcher) == .answering)
    }
    for (time, response) in answers() {
      times.append(time)
      #expect(response.location == DiscoveryFixture.wlan0.address)
      #expect(response.advertisement.target == "urn:schemas-upnp-org:device:MediaRenderer:1")
    }
    #expect(times.count == 200)
    #expect(times.allSatisfy { (0...1900).contains($0) })
    #expect((times.min() ?? 9999) < 200 && (times.max() ?? 0) > 1700, "all over the time allowed")
    #expect(responder.nextDeadline == nil)
  }

  @Test func someDevicesAnswerSoonAndOnIPv4Only() {
    var root = DiscoveryFixture.renderer
    root.habits = DeviceHabits(answersWithin: .milliseconds(400), isIPv4Only: true)
    let set = AdvertisementSet([DiscoveryFixture.served(root)], maxAge: 1800)
    func receive(_ searcher: SearchResponder.Searcher) -> SearchResponder.Verdict {
      responder.receive(
        SearchRequest(target: "upnp:rootdevice", mx: 5), from: searcher, isUnicast: false,
        advertisements: set,
        interfaces: DiscoveryFixture.interfaces, now: DiscoveryFixture.time(milliseconds: 0), using: &random)
    }
    for port in 1...50 {
      var searcher = phone
      searcher.port = port
      #expect(receive(searcher) == .answering)
    }
    #expect(answers().allSatisfy { $0.time <= 400 })
    let neighbour = IPAddress.v6(0xfe80_0000_0000_0000, 9)
    #expect(
      receive(SearchResponder.Searcher(address: neighbour, port: 1, interfaceIndex: 2)) == .ignored)
  }

  /// Only the device whose control points leave MAN out answers, and no faster than others.
  @Test func aSearchWithoutMANIsAnsweredBySomeDevicesOnly() {
    var zone = DiscoveryFixture.renderer
    zone.device.udn = "RINCON_1"
    zone.habits = DeviceHabits(answersWithoutMAN: true)
    let set = AdvertisementSet(
      [DiscoveryFixture.source, zone].map { DiscoveryFixture.served($0) }, maxAge: 1800)
    var search = SearchRequest(target: "ssdp:all", mx: 1)
    search.lacksMAN = true
    func receive(_ port: Int, _ set: AdvertisementSet) -> SearchResponder.Verdict {
      var searcher = phone
      searcher.port = port
      return responder.receive(
        search, from: searcher, isUnicast: true, advertisements: set, interfaces: DiscoveryFixture.interfaces,
        now: DiscoveryFixture.time(milliseconds: 0), using: &random)
    }
    #expect(
      receive(1, AdvertisementSet([DiscoveryFixture.served(DiscoveryFixture.source)], maxAge: 1800))
        == .ignored)
    #expect(receive(1, set) == .answering)
    #expect(Set(answers().map(\.response.advertisement.udn)).allSatisfy { $0.hasPrefix("RINCON_1") })
    #expect((2...1000).map { receive($0, set) }.contains(.flooded), "as any other search")
    #expect(responder.pendingCount <= 96)
  }

  @Test func spreadsTheAnswersToAll() {
    #expect(search("ssdp:all", mx: 5) == .answering)
    let found = answers()
    #expect(Set(found.map(\.response.advertisement)) == Set(set.devices.flatMap { $0 }))
    #expect(found.count == 12)
    #expect(Set(found.map(\.time)).count >= 10)
    #expect(found.allSatisfy { $0.time <= 4900 && $0.response.searcher == phone })
  }

  @Test func answersUnicastAtOnce() {
    #expect(search("upnp:rootdevice", unicast: true) == .answering)
    #expect(answers().map(\.time) == [0, 0])
    #expect(search("ssdp:all", unicast: true) == .answering)
    #expect(answers().map(\.time) == [0, 0, 5, 5, 10, 10, 15, 15, 20, 20, 25, 25])
  }

  @Test func answersOnceWhileARepeatedSearchWaits() {
    #expect(search("uuid:X") == .answering)
    #expect(search("uuid:X", at: 20) == .ignored)
    #expect(search("upnp:rootdevice", at: 20) == .answering, "another question")
    var other = phone
    other.port = 50_001
    #expect(search("uuid:X", from: other, at: 20) == .answering, "another program")
    #expect(answers().count == 4)
    #expect(search("uuid:X", at: 5000) == .answering, "the answer may have been lost")
  }

  @Test func isSilentWhenNothingMatches() {
    #expect(search("urn:dial-multiscreen-org:service:dial:1") == .ignored)
    #expect(search("urn:schemas-upnp-org:device:MediaRenderer:2") == .ignored)
    #expect(responder.nextDeadline == nil)
  }

  @Test func answersOnlyNeighbours() throws {
    func from(_ text: String, _ index: Int, port: Int = 50_000) throws -> SearchResponder.Searcher {
      .init(address: try #require(IPAddress(text)), port: port, interfaceIndex: index)
    }
    for (text, index) in [
      ("10.0.0.5", 2), ("192.168.1.9", 3), ("8.8.8.8", 2), ("127.0.0.1", 2), ("192.168.1.255", 2),
      ("255.255.255.255", 2), ("0.0.0.0", 2), ("224.0.0.1", 2), ("2001:db8::1", 2), ("fe80::9", 3),
      ("192.168.1.9", 7), ("192.168.1.9", 1), ("127.0.0.1", 1),
      // What is ours on one link may be anybody's on another that isn't served.
      ("fe80::2", 3), ("fe80::2", 7),
    ] {
      #expect(search("uuid:X", from: try from(text, index)) == .ignored, "\(text) on \(index)")
    }
    #expect(search("uuid:X", from: try from("192.168.1.9", 2, port: 0)) == .ignored)
    for (text, index, location) in [
      ("192.168.1.9", 2, DiscoveryFixture.eth0.address), ("fe80::9", 2, DiscoveryFixture.eth0IPv6.address),
      ("10.200.0.1", 3, DiscoveryFixture.wlan0.address),
      // This host itself, through the loopback.
      ("192.168.1.20", 1, DiscoveryFixture.eth0.address),
    ] {
      #expect(
        search("uuid:X", from: try from(text, index), unicast: true) == .answering, "\(text) on \(index)")
      let responses = responder.due(now: DiscoveryFixture.time(milliseconds: 0))
      #expect(responses.map(\.location) == [location])
      #expect(
        responses.map(\.searcher.interfaceIndex) == [location == DiscoveryFixture.wlan0.address ? 3 : 2])
    }
  }

  @Test func answersTheLoopbackWhenItIsServed() {
    let loopback = NetworkInterface(
      index: 1, name: "lo", addresses: [InterfaceAddress(address: .v4(0x7f00_0001), prefixLength: 8)],
      isRunning: true, isLoopback: true)
    let local = SearchResponder.Searcher(address: .v4(0x7f00_0001), port: 9, interfaceIndex: 1)
    #expect(search("uuid:X", from: local, interfaces: [loopback]) == .answering)
  }

  @Test func boundsTheSeriesOfOneSearcher() {
    for port in 1...5 {
      var searcher = phone
      searcher.port = port
      #expect(search("ssdp:all", mx: 5, from: searcher) == (port <= 2 ? .answering : .flooded))
    }
    #expect(search("urn:av-openhome-org:service:Product:1") == .answering, "single answers still come")
    #expect(responder.pendingCount == 25)
  }

  @Test func boundsWhatWaits() {
    var verdicts: [SearchResponder.Verdict] = []
    for number in 0..<20_000 {
      let searcher = SearchResponder.Searcher(
        address: .v4(0x0a00_0001 + UInt32(number % 5000)), port: 1 + number / 5000, interfaceIndex: 3)
      verdicts.append(search("ssdp:all", mx: 5, from: searcher))
    }
    #expect(verdicts.first == .answering)
    #expect(verdicts.last == .flooded)
    #expect(responder.pendingCount <= 1024)
    _ = answers()
    #expect(responder.pendingCount == 0)
  }

  @Test func boundsWhatWaitsForOneSource() {
    for port in 1...1000 {
      var searcher = phone
      searcher.port = port
      _ = search("uuid:X", mx: 5, from: searcher)
    }
    #expect(responder.pendingCount == SearchResponder.Limits().pendingPerAddress)
    let other = SearchResponder.Searcher(address: .v4(0xc0a8_0178), port: 50_000, interfaceIndex: 2)
    #expect(search("uuid:X", from: other) == .answering)
  }

  @Test func boundsTheAnswersOfOneSource() {
    var answered = 0
    for number in 0..<10_000 {
      var searcher = phone
      searcher.port = 1 + number
      // One every 2 ms for 20 s, each answered at once.
      let time = number * 2
      if search("uuid:X", from: searcher, unicast: true, at: time) == .answering { answered += 1 }
      _ = responder.due(now: DiscoveryFixture.time(milliseconds: time))
    }
    #expect((150...250).contains(answered), "a burst, then silence as long as it floods")
    let other = SearchResponder.Searcher(address: .v4(0xc0a8_0178), port: 9, interfaceIndex: 2)
    #expect(search("uuid:X", from: other, at: 20_000) == .answering, "others don't suffer")
  }

  @Test func answersAnEagerControlPoint() {
    for number in 0..<500 {
      var searcher = phone
      searcher.port = 1 + number
      #expect(search("uuid:X", from: searcher, unicast: true, at: number * 50) == .answering)
      _ = responder.due(now: DiscoveryFixture.time(milliseconds: number * 50))
    }
  }

  @Test func forgetsAnswersThatCannotLeave() {
    #expect(search("uuid:X") == .answering)
    #expect(
      search("uuid:X", from: .init(address: .v4(0x0a00_0009), port: 9, interfaceIndex: 3)) == .answering)
    responder.cancel { _, index in index == 3 }
    #expect(answers().map(\.response.searcher.interfaceIndex) == [3])
    #expect(search("uuid:X") == .answering)
    responder.cancelAll()
    #expect(responder.nextDeadline == nil)
  }

  @Test func limitersForgetSources() {
    let start = DiscoveryFixture.time(milliseconds: 0)
    var limiter = RateLimiter<Int>(
      perSource: .init(capacity: 2, rate: 1), total: .init(capacity: 1000, rate: 1000), maximumSources: 8,
      now: start)
    let admitted = (0..<100).map { limiter.admit($0, cost: 1, now: start) }
    #expect(!admitted.contains(false))
    #expect(limiter.count <= 8)
    var one = RateLimiter<Int>(
      perSource: .init(capacity: 2, rate: 1), total: .init(capacity: 3, rate: 1), maximumSources: 8,
      now: start)
    func admit(_ source: Int, cost: Double, after seconds: Int64 = 0) -> Bool {
      one.admit(source, cost: cost, now: start + .seconds(seconds))
    }
    #expect(admit(1, cost: 1))
    #expect(admit(1, cost: 1))
    #expect(!admit(1, cost: 1))
    #expect(admit(2, cost: 1))
    #expect(!admit(3, cost: 1), "all together")
    #expect(admit(1, cost: 1, after: 1))
    #expect(admit(4, cost: 100, after: 60), "a cost above the capacity takes all of it")
  }
}
