import NIOCore
import NIOPosix
import Network
import Synchronization
import Testing
import UPnP

@testable import ControlPoint
@testable import HTTP

extension RequestHead {
  static func notify(_ path: String, _ fields: HeaderFields) -> RequestHead {
    RequestHead(method: "NOTIFY", path: path, query: nil, authority: nil, minorVersion: 1, fields: fields)
  }
}

/// A device that answers as a test says, and notes what it was sent.
final class ScriptedDevice: Sendable {
  typealias Script =
    @Sendable (SubscriptionCall, ServiceAddress) async throws(ActionFailure) -> (
      status: Int, fields: HeaderFields
    )

  private let log = Mutex<[SubscriptionCall]>([])
  let script: Script

  var calls: [SubscriptionCall] { log.withLock { $0 } }

  init(_ script: @escaping Script) { self.script = script }

  /// Grants a subscription each time, as `uuid:1`, `uuid:2` …
  convenience init() {
    let count = Mutex(0)
    let shared = Shared(count)
    self.init { _, _ in Self.granted("uuid:\(shared.next())") }
  }

  private final class Shared: Sendable {
    private let count: Mutex<Int>
    init(_ count: consuming Mutex<Int>) { self.count = count }
    func next() -> Int {
      count.withLock {
        $0 += 1
        return $0
      }
    }
  }

  static func granted(_ sid: String) -> (status: Int, fields: HeaderFields) {
    var fields = HeaderFields()
    fields.append(name: "sid", value: sid)
    return (200, fields)
  }

  func subscriptions(limits: SubscriptionLimits = SubscriptionLimits()) -> EventSubscriptions {
    EventSubscriptions(
      eventLoop: MultiThreadedEventLoopGroup.singleton.next(), limits: limits, logger: Publisher.quiet
    ) { [self] call, address, _ throws(ActionFailure) in
      log.withLock { $0.append(call) }
      return try await script(call, address)
    }
  }

  func calls(become count: Int) async throws -> [SubscriptionCall] {
    for _ in 0..<2000 where calls.count < count { try await Task.sleep(for: .milliseconds(5)) }
    return calls
  }
}

@Suite(.timeLimit(.minutes(1))) struct EventPathTests {
  private func location(_ address: String, interface: Int? = nil, id: Int = 0) throws -> ServiceLocation {
    var location = Publisher.location(port: 80, target: "/event")
    location.events = ServiceAddress(
      address: try #require(IPAddress(address)), port: 80, interface: interface, target: "/event")
    location.id = "\(id)"
    return location
  }

  private static func interface(_ index: Int, _ addresses: [(IPAddress, Int)]) -> NetworkInterface {
    NetworkInterface(
      index: index, name: "eth\(index)",
      addresses: addresses.map { InterfaceAddress(address: $0.0, prefixLength: $0.1) }, isRunning: true,
      isLoopback: false)
  }

  private static let interfaces = [
    interface(2, [(.v4(0xc000_0207), 24), (.v6(0xfe80_0000_0000_0000, 2), 64)]),
    interface(
      3, [(.v4(0xc633_6407), 24), (.v6(0xfe80_0000_0000_0000, 3), 64), (.v6(0x2001_0db8_0000_0000, 3), 64)]),
  ]

  /// Where a SUBSCRIBE wants its events, without the token.
  private func callback(_ call: SubscriptionCall?) -> Substring? {
    guard case .subscribe(let url, 1800) = call, let end = url.range(of: "/gena/") else { return nil }
    #expect(url[end.upperBound...].utf8.count > 20)
    return url[..<end.lowerBound]
  }

  @Test(
    arguments: [
      ("192.0.2.9", nil, "http://192.0.2.7:4004"), ("198.51.100.1", nil, "http://198.51.100.7:4004"),
      ("2001:db8::9", nil, "http://[2001:db8::3]:4004"), ("fe80::9", 3, "http://[fe80::3]:4004"),
      ("fe80::9", 2, "http://[fe80::2]:4004"), ("127.0.0.1", nil, "http://127.0.0.1:4004"),
    ] as [(String, Int?, String)])
  func eventsComeToTheInterfaceThatReachesTheDevice(device: String, interface: Int?, expected: String)
    async throws
  {
    let scripted = ScriptedDevice()
    let subscriptions = scripted.subscriptions()
    await subscriptions.setListening(.init(port: 4004, ipv6: true))
    await subscriptions.setInterfaces(Self.interfaces)
    let inbox = await subscriptions.join(try location(device, interface: interface))
    #expect(callback(try await scripted.calls(become: 1).first).map(String.init) == expected)
    subscriptions.leave(inbox)
    await subscriptions.stop()
  }

  @Test func withoutAWayNobodyIsAsked() async throws {
    for (device, ipv6) in [("203.0.113.1", true), ("2001:db8::9", false)] {
      let scripted = ScriptedDevice()
      let subscriptions = scripted.subscriptions()
      await subscriptions.setListening(.init(port: 4004, ipv6: ipv6))
      await subscriptions.setInterfaces(Self.interfaces)
      let inbox = await subscriptions.join(try location(device))
      #expect(await inbox.next() == .success(.interrupted))
      #expect(scripted.calls.isEmpty)
      await subscriptions.stop()
    }
  }

  @Test func anotherAddressOfOursIsToldToTheDevice() async throws {
    let scripted = ScriptedDevice()
    let subscriptions = scripted.subscriptions()
    await subscriptions.setListening(.init(port: 4004, ipv6: true))
    await subscriptions.setInterfaces(Self.interfaces)
    _ = await subscriptions.join(try location("192.0.2.9"))
    _ = try await scripted.calls(become: 1)
    while await subscriptions.followed.values.first?.machine.grant == nil { await Task.yield() }
    await subscriptions.setInterfaces(Self.interfaces.reversed())
    await subscriptions.setInterfaces([Self.interfaces[1]])
    #expect(scripted.calls.count == 1, "there is no way to it now")
    await subscriptions.setInterfaces([Self.interface(2, [(.v4(0xc000_0208), 24)])])
    let calls = try await scripted.calls(become: 3)
    #expect(calls.contains(.unsubscribe(sid: "uuid:1")))
    #expect(calls.contains { callback($0) == "http://192.0.2.8:4004" })
    await subscriptions.stop()
  }

  @Test func anEventMayComeBeforeTheAnswer() async throws {
    let box = Mutex<EventSubscriptions?>(nil)
    let holder = Holder(box)
    let scripted = ScriptedDevice { call, _ in
      guard case .subscribe(let url, _) = call, let subscriptions = holder.value else {
        return (200, HeaderFields())
      }
      let path = "/gena/" + (url.split(separator: "/").last ?? "")
      var fields = HeaderFields()
      for (name, value) in [
        ("nt", "upnp:event"), ("nts", "upnp:propchange"), ("sid", "uuid:a"), ("seq", "0"),
      ] {
        fields.append(name: name, value: value)
      }
      let body = ByteBuffer(string: "<propertyset><property><A>1</A></property></propertyset>")
      let request = HTTPRequest(head: .notify(path, fields), body: body)
      let peer = Peer(remote: .v4(0x7f00_0001), local: .v4(0x7f00_0001), localPort: 4004)
      let id = RequestID(connection: 0, number: 0)
      let status = try? await subscriptions.eventLoop.submit { () -> HTTPStatus? in
        guard case .complete(let response) = subscriptions.respond(to: request, from: peer, id: id) else {
          return nil
        }
        return response.status
      }.get()
      return status == .ok ? ScriptedDevice.granted("uuid:a") : (500, HeaderFields())
    }
    let subscriptions = scripted.subscriptions()
    holder.value = subscriptions
    await subscriptions.setListening(.init(port: 4004, ipv6: true))
    let inbox = await subscriptions.join(try location("127.0.0.1"))
    #expect(await inbox.next() == .success(.all([ServiceValue(.init("A"), "1")])))
    await subscriptions.stop()
    holder.value = nil
  }

  private final class Holder: Sendable {
    private let box: Mutex<EventSubscriptions?>
    init(_ box: consuming Mutex<EventSubscriptions?>) { self.box = box }
    var value: EventSubscriptions? {
      get { box.withLock { $0 } }
      set { box.withLock { $0 = newValue } }
    }
  }

  @Test func subscriptionsAndReadersAreBounded() async throws {
    var limits = SubscriptionLimits()
    limits.services = 3
    limits.readers = 2
    let subscriptions = ScriptedDevice().subscriptions(limits: limits)
    await subscriptions.setListening(.init(port: 4004, ipv6: true))
    var inboxes: [ChangeInbox] = []
    for id in 0..<3 {
      for _ in 0..<2 { inboxes.append(await subscriptions.join(try location("127.0.0.1", id: id))) }
    }
    for id in [0, 3] {
      #expect(await subscriptions.join(try location("127.0.0.1", id: id)).next() == .failure(.tooMany))
    }
    for inbox in inboxes { subscriptions.leave(inbox) }
    while await !subscriptions.followed.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    let again = await subscriptions.join(try location("127.0.0.1", id: 3))
    #expect(await subscriptions.followed.count == 1)
    subscriptions.leave(again)
    await subscriptions.stop()
  }

  @Test func aDeviceThatNeverAnswersHoldsUpNobody() async throws {
    let scripted = ScriptedDevice { _, _ throws(ActionFailure) in
      try? await Task.sleep(for: .seconds(60))
      throw .timeout
    }
    let subscriptions = scripted.subscriptions()
    await subscriptions.setListening(.init(port: 4004, ipv6: true))
    let inbox = await subscriptions.join(try location("127.0.0.1"))
    _ = try await scripted.calls(become: 1)
    let time = await ContinuousClock().measure { await subscriptions.stop() }
    #expect(time < .seconds(5))
    #expect(await inbox.next() == .failure(.stopped))
  }
}
