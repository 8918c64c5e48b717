import ControlPoint
import Foundation
import Logging
import NIOPosix
import Network
import Proxies
import SCPD
import Testing
import UPnP

/// The example in `CONTRIBUTING.md`: another project uses the control point.
@Suite struct PlayingTests {
  @Test func thePageShowsThisFile() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let example = try String(contentsOf: folder.appending(path: "Playing.swift"), encoding: .utf8)
    let page = folder.appending(path: "../../../CONTRIBUTING.md").standardized
    #expect(try String(contentsOf: page, encoding: .utf8).contains("\n```swift\n\(example)```\n"))
  }

  @Test(.timeLimit(.minutes(1))) func itPlays() async throws {
    let speaker = Speaker()
    let kind = "Playing\(UInt32.random(in: 0 ... .max))"
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    var configuration = DeviceServerConfiguration()
    configuration.host.port = 0
    configuration.host.ipv6 = false
    configuration.interfaces = ["lo"]
    let device = Device(
      type: "MediaRenderer", version: 1, udn: kind, friendlyName: kind, manufacturer: "M", modelName: "M",
      services: speaker.services)
    let server = DeviceServer(
      eventLoop: loop, configuration: configuration, devices: [RootDevice(device)], bootID: 1,
      loggers: DeviceServerLoggers(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    try await server.start()
    var settings = ControlPointConfiguration()
    settings.interfaces = ["lo"]
    settings.mx = 1
    let controlPoint = ControlPoint(eventLoop: loop, configuration: settings)
    var changes = await controlPoint.devices([.mediaRenderer]).makeAsyncIterator()
    var found: FoundDevice?
    while found == nil, let change = await changes.next() {
      if change.device.udn == kind { found = change.device }
    }
    let renderer = try #require(found)
    let transport = try #require(AVTransport1.Proxy(renderer, through: controlPoint))
    var events = transport.changes().makeAsyncIterator()
    guard case .all(let before) = try await events.next() else { throw ActionFailure.malformed }
    #expect(before.transportState == .noMediaPresent)
    // Another test may have a renderer here as well, which refuses.
    _ = try? await play("http://127.0.0.1:9/song.flac", by: controlPoint)
    try await transport.setAVTransportURI(
      currentURI: "http://127.0.0.1:9/song.flac", currentURIMetaData: "")
    // The player's part, which isn't here.
    server.stateChanged()
    var address: String?
    while address == nil, case .changed(let values)? = try await events.next() {
      address = values.avTransportURI
    }
    #expect(address == "http://127.0.0.1:9/song.flac")
    let radio = try #require(Radio2.Proxy(renderer, through: controlPoint))
    #expect(try await radio.channelsMax() > 0)
    await controlPoint.stop()
    await server.stop()
  }
}
