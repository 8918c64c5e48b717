import Logging
import NIOCore
import NIOPosix
import Network
import SeededRandom
import Testing

@testable import UPnP

/// The whole of discovery with real sockets on the loopback. Other programs may be heard there as well: devices
/// have names that nobody else has.
@Suite struct DiscoveryTests {
  private static let loopback = NetworkInterface(
    index: 1, name: "lo", addresses: [InterfaceAddress(address: .v4(0x7f00_0001), prefixLength: 8)],
    isRunning: true, isLoopback: true)

  private func device() -> RootDevice {
    var device = DiscoveryFixture.renderer
    device.device.udn = "test-\(UInt64.random(in: 0...UInt64.max))"
    return device
  }

  private func discovery(_ device: RootDevice, on eventLoop: any EventLoop) -> Discovery {
    Discovery(
      eventLoop: eventLoop,
      configuration: DiscoveryConfiguration(ipv6: false),
      devices: [DiscoveryFixture.served(device, port: 4711, configID: 3)], bootID: 77,
      logger: Logger(label: "test"))
  }

  @Test(.timeLimit(.minutes(1))) func announcesAnswersAndSaysGoodbye() async throws {
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let controlPoint = try await LoopbackControlPoint(eventLoop: eventLoop)
    let device = device()
    let discovery = discovery(device, on: eventLoop)
    let isOurs = { (message: LoopbackControlPoint.Message) in
      message["USN"]?.contains(device.device.udn) == true
    }

    try await discovery.start()
    await discovery.setInterfaces([Self.loopback])
    let first = try #require(await controlPoint.next(isOurs))
    #expect(first["NTS"] == "ssdp:byebye")
    let alive = try #require(await controlPoint.next { isOurs($0) && $0["NTS"] == "ssdp:alive" })
    #expect(alive["LOCATION"] == "http://127.0.0.1:4711/X-MediaRenderer/device.xml")
    #expect(alive["NT"] == "upnp:rootdevice")
    #expect(alive["BOOTID.UPNP.ORG"] == "77")
    #expect(alive["CONFIGID.UPNP.ORG"] == "3")

    let isAnswer = { (message: LoopbackControlPoint.Message) in isOurs(message) && message["ST"] != nil }
    try await controlPoint.search("uuid:\(device.device.udn)")
    let answer = try #require(await controlPoint.next(isAnswer))
    #expect(answer[""] == "HTTP/1.1 200 OK")
    #expect(answer["ST"] == "uuid:\(device.device.udn)")
    #expect(answer["EXT"] == "")
    #expect(answer["LOCATION"] == "http://127.0.0.1:4711/X-MediaRenderer/device.xml")

    // The control point has the usual port, too: unicast searches have their own.
    let port = try #require(alive["SEARCHPORT.UPNP.ORG"].flatMap { Int($0) })
    #expect(answer["SEARCHPORT.UPNP.ORG"] == "\(port)")
    try await controlPoint.search(
      "urn:schemas-upnp-org:device:MediaRenderer:1", at: .v4(0x7f00_0001), port: port)
    let direct = try #require(await controlPoint.next(isAnswer))
    #expect(direct["ST"] == "urn:schemas-upnp-org:device:MediaRenderer:1")

    await discovery.shutdown()
    let last = await controlPoint.next { isOurs($0) && $0["NTS"] == "ssdp:byebye" }
    #expect(last?["BOOTID.UPNP.ORG"] == "77")
    await #expect(throws: DiscoveryError.isShutDown) { try await discovery.start() }
    try await controlPoint.close()
  }

  @Test(.timeLimit(.minutes(1))) func survivesGarbage() async throws {
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let controlPoint = try await LoopbackControlPoint(eventLoop: eventLoop)
    let device = device()
    let discovery = discovery(device, on: eventLoop)
    try await discovery.start()
    await discovery.setInterfaces([Self.loopback])
    var random = SeededRandom(seed: 5)
    for _ in 0..<200 {
      let tail = (0..<Int.random(in: 0...300, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      try await controlPoint.send(Array("M-SEARCH * HT".utf8) + tail, to: SSDPGroup.ipv4.address, port: 1900)
    }
    try await controlPoint.search("uuid:\(device.device.udn)")
    let answer = await controlPoint.next { $0["USN"] == "uuid:\(device.device.udn)" && $0["ST"] != nil }
    #expect(answer != nil)
    await discovery.shutdown()
    try await controlPoint.close()
  }

  @Test(.timeLimit(.minutes(1))) func stopsWithoutHavingStarted() async throws {
    let discovery = discovery(device(), on: MultiThreadedEventLoopGroup.singleton.next())
    await discovery.setInterfaces([Self.loopback])
    await discovery.shutdown()
    await discovery.shutdown()
  }

  @Test(.timeLimit(.minutes(1))) func announcesItselfUnderANewName() async throws {
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let controlPoint = try await LoopbackControlPoint(eventLoop: eventLoop)
    let (old, new) = (device(), device())
    let discovery = discovery(old, on: eventLoop)
    await discovery.setInterfaces([Self.loopback])
    try await discovery.start()
    _ = await controlPoint.next { $0["USN"]?.contains(old.device.udn) == true && $0["NTS"] == "ssdp:alive" }
    await discovery.setDevices([DiscoveryFixture.served(new, port: 4711, configID: 4)])
    let byebye = await controlPoint.next {
      $0["USN"]?.contains(old.device.udn) == true && $0["NTS"] == "ssdp:byebye"
    }
    #expect(byebye?["CONFIGID.UPNP.ORG"] == "3")
    let alive = await controlPoint.next { $0["USN"]?.contains(new.device.udn) == true }
    #expect(alive?["NTS"] == "ssdp:alive")
    #expect(alive?["CONFIGID.UPNP.ORG"] == "4")
    await discovery.setInterfaces([])
    await discovery.shutdown()
    try await controlPoint.close()
  }
}
