import Logging
import NIOCore
import NIOPosix
import Services
import Synchronization
import Testing
import UPnP

@testable import ControlPoint
@testable import HTTP
@testable import Zones

/// A zone on loopback, at a port of its own, that answers what a test says.
private final class FakeZone: Responder {
  static let uid = "RINCON_0123456789AB01400"

  private let server: HTTPServer
  private let port = Mutex(0)
  private let lines = Mutex<[String]>([])
  private let callbacks = Mutex<[String]>([])
  /// Where its services but Household are; nil for its own port.
  private let elsewhere: Int?
  private let refusal = Mutex<HTTPStatus?>(nil)

  init(eventLoop: any EventLoop, servicesAt elsewhere: Int? = nil) {
    self.elsewhere = elsewhere
    var configuration = HTTPConfiguration()
    configuration.ipv6 = false
    server = HTTPServer(
      eventLoop: eventLoop, configuration: configuration,
      logger: Logger(label: "fake") { _ in SwiftLogNoOpLogHandler() })
  }

  var url: String { "http://127.0.0.1:\(port.withLock { $0 })/device.xml" }
  var ownPort: Int { port.withLock { $0 } }
  /// What was asked for besides the description: `SUBSCRIBE /Household`.
  var requests: [String] { lines.withLock { $0 } }
  var callback: String? { callbacks.withLock { $0.last } }
  func refuse(_ status: HTTPStatus?) { refusal.withLock { $0 = status } }

  func start() async throws {
    let listening = try await server.start([self])
    port.withLock { $0 = listening.port }
  }

  func stop() async { await server.shutdown() }

  /// Waits until it has been asked for this, `count` times.
  func expect(_ request: String, count: Int = 1) async throws {
    for _ in 0..<500 where requests.count(where: { $0 == request }) < count {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(requests.count(where: { $0 == request }) >= count, "\(request)")
  }

  func methods(at path: String) -> [String]? { ["GET", "POST", "SUBSCRIBE", "UNSUBSCRIBE"] }

  func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> HTTP.Answer? {
    let head = request.head
    guard head.method != "GET" else { return .complete(Self.response(description)) }
    lines.withLock { $0.append("\(head.method) \(head.path)") }
    if head.method == "POST" { return .complete(Self.response("<a/>", .internalServerError)) }
    if let status = refusal.withLock({ $0 }) { return .complete(Self.response("", status)) }
    if let callback = head.fields.first("callback") { callbacks.withLock { $0.append(callback) } }
    var response = HTTPResponse(.ok)
    response.fields += SubscriptionReply(sid: "uuid:1", seconds: 300).fields
    return .complete(response)
  }

  private static func response(_ text: String, _ status: HTTPStatus = .ok) -> HTTPResponse {
    var response = HTTPResponse(status)
    response.contentType = "text/xml"
    response.body = ByteBuffer(string: text)
    return response
  }

  private var description: String {
    let services = ZoneCall.Service.allCases.map { service in
      let name = service.type.split(separator: ":").last ?? ""
      let base = elsewhere.flatMap { service == .household ? nil : "http://127.0.0.1:\($0)" } ?? ""
      return """
        <service><serviceType>\(service.type):1</serviceType><serviceId>urn:x:serviceId:\(name)</serviceId>\
        <SCPDURL>/x.xml</SCPDURL><controlURL>\(base)/\(name)</controlURL><eventSubURL>\(base)/\(name)</eventSubURL></service>
        """
    }
    return """
      <root xmlns="urn:schemas-upnp-org:device-1-0"><device><deviceType>urn:schemas-upnp-org:device:ZonePlayer:1</deviceType>\
      <friendlyName>Fake</friendlyName><manufacturer>M</manufacturer><modelName>x</modelName><UDN>uuid:\(Self.uid)</UDN>\
      <serviceList>\(services.joined())</serviceList></device></root>
      """
  }
}

@Suite struct ZonePeersTests {
  private let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
  private let peers: ZonePeers
  private let doubts = Counter()

  private final class Counter: Sendable {
    let count = Mutex(0)
  }

  init() {
    peers = ZonePeers(
      eventLoop: eventLoop, manufacturer: "M", userAgent: "T/1",
      logger: Logger(label: "zones") { _ in SwiftLogNoOpLogHandler() })
    peers.setHandlers(
      ZonePeers.Handlers(told: { _ in }, doubted: { [doubts] _ in doubts.count.withLock { $0 += 1 } }))
  }

  /// Runs `body` with zones that have been started, and stops everything.
  private func with(_ zones: FakeZone..., body: () async throws -> Void) async throws {
    for zone in zones { try await zone.start() }
    await peers.networkChanged([])
    let result: Result<Void, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    await peers.stop()
    for zone in zones { await zone.stop() }
    try result.get()
  }

  @Test func whoHasMovedIsFollowedThere() async throws {
    let (first, second) = (FakeZone(eventLoop: eventLoop), FakeZone(eventLoop: eventLoop))
    try await with(first, second) {
      #expect(await peers.ask(FakeZone.uid, at: first.url) == .zone)
      await peers.follow(FakeZone.uid)
      try await first.expect("SUBSCRIBE /Household")
      #expect(await peers.ask(FakeZone.uid, at: second.url) == .zone)
      await peers.follow(FakeZone.uid)
      try await second.expect("SUBSCRIBE /Household")
      _ = await peers.call(.unresponsive("x"), of: FakeZone.uid)
      #expect(second.requests.contains("POST /ZoneGroupTopology"))
      #expect(!first.requests.contains("POST /ZoneGroupTopology"))
    }
  }

  @Test func whoIsAskedAgainWhereItIsIsFollowedOn() async throws {
    let zone = FakeZone(eventLoop: eventLoop)
    try await with(zone) {
      for _ in 0..<3 {
        #expect(await peers.ask(FakeZone.uid, at: zone.url) == .zone)
        await peers.follow(FakeZone.uid)
        try await zone.expect("SUBSCRIBE /Household")
      }
      #expect(zone.requests == ["SUBSCRIBE /Household"])
    }
  }

  /// A zone that was asked and isn't followed isn't kept: strangers may make any number of them.
  @Test func whoIsNotFollowedIsForgotten() async throws {
    let zone = FakeZone(eventLoop: eventLoop)
    try await with(zone) {
      #expect(await peers.ask(FakeZone.uid, at: zone.url) == .zone)
      await peers.dismiss(FakeZone.uid)
      await peers.follow(FakeZone.uid)
      #expect(await !peers.call(.unresponsive("x"), of: FakeZone.uid))
      #expect(zone.requests.isEmpty)
    }
  }

  /// Otherwise a zone could have this one call anything in the network.
  @Test func servicesElsewhereAreNotCalled() async throws {
    let other = FakeZone(eventLoop: eventLoop)
    try await other.start()
    let zone = FakeZone(eventLoop: eventLoop, servicesAt: other.ownPort)
    try await with(zone) {
      #expect(await peers.ask(FakeZone.uid, at: zone.url) == .zone)
      await peers.follow(FakeZone.uid)
      try await zone.expect("SUBSCRIBE /Household")
      #expect(await !peers.call(.unresponsive("x"), of: FakeZone.uid))
      #expect(other.requests.isEmpty)
    }
    await other.stop()
  }

  @Test func whoRefusedToTellAnythingIsFollowedOnceItHasRestarted() async throws {
    let zone = FakeZone(eventLoop: eventLoop)
    zone.refuse(.notFound)
    try await with(zone) {
      #expect(await peers.ask(FakeZone.uid, at: zone.url) == .zone)
      await peers.follow(FakeZone.uid)
      for _ in 0..<500 where doubts.count.withLock({ $0 }) == 0 {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(doubts.count.withLock { $0 } == 1)
      zone.refuse(nil)
      await peers.restarted(FakeZone.uid)
      try await zone.expect("SUBSCRIBE /Household", count: 2)
    }
  }

  @Test func onlyWhatZonesTellIsKept() {
    var values = ToldValues()
    values.take(.all([ServiceValue(.init("Household"), "a"), ServiceValue(.init("x"), "b")]))
    for number in 0..<2000 { values.take(.changed([ServiceValue(.init("x\(number)"), "c")])) }
    values.take(.changed([ServiceValue(.init("Volume"), "7")]))
    values.take(.interrupted)
    #expect(values.texts == ["Household": "a", "Volume": "7"])
    values.take(.all([ServiceValue(.init("Turn"), "1")]))
    #expect(values.texts == ["Turn": "1"])
  }
}
