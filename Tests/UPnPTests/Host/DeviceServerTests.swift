import Foundation
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import HTTP
@testable import UPnP

/// A vendor's device beside an ordinary one, both of one server, with real sockets on the loopback.
@Suite struct DeviceServerTests {
  private let speaker: Speaker
  private let ordinary: RootDevice
  private let master = [
    SOAPArgument(name: "InstanceID", text: "0"), SOAPArgument(name: "Channel", text: "Master"),
  ]

  init() {
    // Other tests are heard on the loopback as well.
    let name = "\(UInt64.random(in: 0...UInt64.max))"
    speaker = Speaker(udn: "RINCON_\(name)")
    var device = Device.fake([FakeService()])
    device.udn = "ordinary-\(name)"
    ordinary = RootDevice(device)
  }

  private func server(_ devices: [RootDevice], log: LogLines? = nil) -> DeviceServer {
    var configuration = DeviceServerConfiguration()
    configuration.host.port = 0
    configuration.host.ipv6 = false
    configuration.interfaces = ["lo"]
    return DeviceServer(
      eventLoop: MultiThreadedEventLoopGroup.singleton.next(), configuration: configuration, devices: devices,
      bootID: 7, loggers: DeviceServerLoggers(LogLines.logger(log)))
  }

  /// A port below those that the system hands out, so no other test's connection gets it meanwhile.
  private func freePort() throws -> Int {
    for port in (20_000..<32_000).shuffled().prefix(20) {
      if let (descriptor, _) = try? RawSocket.bound(to: port) {
        close(descriptor)
        return port
      }
    }
    throw SocketFailure(call: "bind", number: EADDRINUSE)
  }

  private func get(_ path: String, port: Int) throws -> Message {
    try send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n", port: port)
  }

  private func send(_ text: String, port: Int) throws -> Message {
    let socket = try RawSocket(port: port)
    socket.send(text)
    return try #require(socket.message())
  }

  @Test(.timeLimit(.minutes(1))) func aSecondServerIsAValue() async throws {
    // Its sockets block.
    try await withTaskExecutorPreference(BlockingExecutor()) { try await findAndUseBoth() }
  }

  private func findAndUseBoth() async throws {
    let controlPoint = try await LoopbackControlPoint(
      eventLoop: MultiThreadedEventLoopGroup.singleton.next())
    let port = try freePort()
    let server = server([ordinary, speaker.root(port: port)])
    let own = try await server.start().port
    #expect(own != port)

    // Announced, each as itself.
    func alive(_ usn: String) async throws -> LoopbackControlPoint.Message {
      try #require(await controlPoint.next { $0["USN"] == usn && $0["NTS"] == "ssdp:alive" })
    }
    let first = try await alive("uuid:\(ordinary.device.udn)::upnp:rootdevice")
    #expect(first["LOCATION"] == "http://127.0.0.1:\(own)\(ordinary.descriptionPath)")
    #expect(first["SERVER"]?.contains("Vireo") == true && first[Speaker.household.name] == nil)
    let root = try await alive("uuid:\(speaker.udn)::upnp:rootdevice")
    let location = "http://127.0.0.1:\(port)/xml/device_description.xml"
    for message in [root, try await alive("uuid:\(speaker.udn)_MR")] {
      #expect(message["LOCATION"] == location)
      #expect(message["SERVER"] == Speaker.serverToken)
      #expect(message[Speaker.household.name] == Speaker.household.value)
      #expect(message["BOOTID.UPNP.ORG"] == "7")
      #expect(message["CONFIGID.UPNP.ORG"] == root["CONFIGID.UPNP.ORG"])
    }
    #expect(root["CONFIGID.UPNP.ORG"] != first["CONFIGID.UPNP.ORG"])

    // Found.
    for target in ["urn:schemas-upnp-org:service:RenderingControl:1", "uuid:\(speaker.udn)_MR"] {
      let answer = await controlPoint.answer(to: target) {
        $0["USN"]?.hasPrefix("uuid:\(speaker.udn)_MR") == true
      }
      #expect(answer?["LOCATION"] == location && answer?["EXT"] == "")
      #expect(answer?[Speaker.household.name] == Speaker.household.value)
    }

    // Described.
    let served = try get("/xml/device_description.xml", port: port)
    #expect(served["server"] == Speaker.serverToken && served["x-speaker-model"] == "S18")
    let description = try RootDescription.read(ByteBuffer(string: served.body))
    #expect(description.configID.map(String.init) == root["CONFIGID.UPNP.ORG"])
    #expect(description.device.devices.map(\.udn) == ["_MS", "_MR"].map { speaker.udn + $0 })
    let service = try #require(description.device.devices.last?.services.first)
    let scpd = try get(try #require(service.scpdURL), port: port)
    #expect(scpd.body.contains("configId=\"\(description.configID ?? -1)\""))
    #expect(try get("/img/icon-S18.png", port: port)["content-type"] == "image/png")
    // Nothing of one device at the other's port.
    #expect(try get(ordinary.descriptionPath, port: port).status == 404)
    #expect(try get("/xml/device_description.xml", port: own).status == 404)
    let plain = try get(ordinary.descriptionPath, port: own)
    #expect(plain.status == 200 && plain["x-speaker-model"] == nil)
    #expect(plain["server"] == first["SERVER"])

    // Called.
    speaker.control.setVolume(33)
    let answer = try send(call(service, "GetVolume", master), port: port)
    #expect(answer.body.contains("<CurrentVolume>33</CurrentVolume>"))

    // Subscribed at.
    let receiver = try EventReceiver()
    // Control points of this machine may have found the server on the loopback, and subscribed as well.
    let others = await server.statistics.subscriptions
    let path = try #require(service.eventURL)
    let head = "\(path) HTTP/1.1\r\nHost: localhost\r\n"
    let subscribed = try send(
      "SUBSCRIBE \(head)CALLBACK: \(receiver.url())\r\nNT: upnp:event\r\n\r\n", port: port)
    let sid = try #require(subscribed["sid"])
    #expect(try Regex("uuid:\(speaker.udn)_sub[0-9]{10}").wholeMatch(in: sid) != nil)
    #expect(receiver.event()?["sid"] == sid)
    #expect(await server.statistics.subscriptions == others + 1, "of all ports")
    let renewed = try send("SUBSCRIBE \(head)SID: \(sid)\r\n\r\n", port: port)
    #expect(renewed.status == 200 && renewed["sid"] == sid)
    let foreign = "uuid:11111111-2222-4333-8444-555555555555"
    #expect(try send("SUBSCRIBE \(head)SID: \(foreign)\r\n\r\n", port: port).status == 412)
    speaker.control.setVolume(34)
    server.stateChanged()
    #expect(receiver.event()?["sid"] == sid)
    #expect(try send("UNSUBSCRIBE \(head)SID: \(sid)\r\n\r\n", port: port).status == 200)

    await server.stop()
    let farewell = await controlPoint.next {
      $0["USN"] == "uuid:\(speaker.udn)_MR" && $0["NTS"] == "ssdp:byebye"
    }
    #expect(farewell?["BOOTID.UPNP.ORG"] == "7")
    #expect(farewell?["CONFIGID.UPNP.ORG"] == root["CONFIGID.UPNP.ORG"])
    #expect(farewell?[Speaker.household.name] == nil)
    try await controlPoint.close()
  }

  private func call(_ service: DeviceDescription.Service, _ action: String, _ arguments: [SOAPArgument])
    -> String
  {
    let call = SOAPCall(serviceType: service.type, action: action, arguments: arguments)
    let body = String(buffer: call.body)
    return "POST \(service.controlURL) HTTP/1.1\r\nHost: localhost\r\nSOAPACTION: \(call.header)\r\n"
      + "Content-Type: text/xml\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  @Test func devicesShareAPortUnlessTheyDiffer() async {
    var other = ordinary
    other.port = 0
    #expect(server([]).hosts.count == 1, "the server's own port is always there")
    #expect(server([ordinary, other]).hosts.count == 1)
    #expect(server([ordinary, speaker.root(port: nil)]).hosts.count == 2, "its SERVER differs")
    other.port = 1400
    #expect(server([ordinary, other, ordinary]).hosts.map { $0.configuration.port } == [0, 1400])
    let hosts = server([ordinary, speaker.root()]).hosts
    #expect(Set(await hosts[0].routes.services.keys.map(\.udn)) == [ordinary.device.udn])
    #expect(
      Set(await hosts[1].routes.services.keys.map(\.udn)) == Set(["", "_MS", "_MR"].map { speaker.udn + $0 }))
  }

  @Test(.timeLimit(.minutes(1))) func aPortThatIsTakenIsReported() async throws {
    let (descriptor, port) = try RawSocket.bound()
    listen(descriptor, 1)
    let server = server([ordinary, speaker.root(port: port)])
    await #expect(throws: (any Error).self) { try await server.start() }
    await server.stop()
    close(descriptor)
  }

  @Test(.timeLimit(.minutes(1))) func aDeviceAtAPortThatIsNotOpenIsLeftOut() async throws {
    let log = LogLines()
    let server = server([ordinary], log: log)
    let own = try await server.start().port
    await server.setDevices([ordinary, speaker.root()])
    #expect(log.values(of: "device") == ["Kitchen & more"])
    #expect(try get(ordinary.descriptionPath, port: own).status == 200)
    #expect(try get("/xml/device_description.xml", port: own).status == 404)
    await server.stop()
  }
}
