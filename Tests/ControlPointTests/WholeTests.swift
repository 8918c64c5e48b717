import Logging
import NIOCore
import NIOPosix
import Network
import Testing
import UPnP

@testable import ControlPoint

/// Everything of a control point together, with our own device server on loopback.
@Suite(.timeLimit(.minutes(1))) struct WholeTests {
  private let loop = MultiThreadedEventLoopGroup.singleton.next()
  private let service = PublishedService("RenderingControl", .properties)

  private func server(_ name: String) -> DeviceServer {
    Finding.server(
      [
        RootDevice(
          Device(
            type: name, version: 1, udn: name, friendlyName: name, manufacturer: "M", modelName: "M",
            services: [service]))
      ], on: loop, interfaces: ["lo"])
  }

  private static func name() -> String { "Whole\(UInt32.random(in: 0 ... .max))" }

  /// Waits until it is, or until the test's time is over.
  private func isIdle(_ controlPoint: ControlPoint) async throws -> Bool {
    while await !controlPoint.isIdle { try await Task.sleep(for: .milliseconds(10)) }
    return true
  }

  @Test func aDeviceIsFoundFollowedAndLeaves() async throws {
    let name = Self.name()
    let server = server(name)
    try await server.start()
    let controlPoint = Finding.controlPoint(on: loop, interfaces: ["lo"])
    let devices = await controlPoint.devices([.device("urn:schemas-upnp-org:device:\(name)")])
    let found = try #require(await devices.next()?.device)
    let remote = controlPoint.service(try #require(found.services.first))
    #expect(await controlPoint.server == nil)
    var changes = remote.changes().makeAsyncIterator()
    #expect(
      try await changes.next()
        == .all([ServiceValue(.init("Volume"), "20"), ServiceValue(.init("Mute"), "0")]))
    service.set("Volume", "21")
    server.stateChanged()
    #expect(try await changes.next() == .changed([ServiceValue(.init("Volume"), "21")]))
    await #expect(throws: ActionFailure.fault(.invalidAction)) { try await remote.call("Nothing") }
    await server.stop()
    #expect(await devices.next { $0.short == "left \(name)" } != nil)
    await #expect(throws: ChangesEnd.deviceGone) { try await changes.next() }
    // The stream of devices is still read, so only the server for events has gone.
    while await controlPoint.server != nil { try await Task.sleep(for: .milliseconds(10)) }
    #expect(await controlPoint.server == nil)
    await controlPoint.stop()
    #expect(try await isIdle(controlPoint))
  }

  @Test func aDeviceWhoseAddressIsKnown() async throws {
    let name = Self.name()
    let server = server(name)
    let port = try await server.listen().port
    let controlPoint = Finding.controlPoint(on: loop, interfaces: ["lo"])
    let found = try await controlPoint.devices(at: "http://127.0.0.1:\(port)/\(name)/device.xml")
    #expect(found.map(\.friendlyName) == [name])
    #expect(try await isIdle(controlPoint))
    // Events need no search.
    let remote = controlPoint.service(try #require(found.first?.services.first))
    for _ in 0..<3 {
      var changes = remote.changes().makeAsyncIterator()
      guard case .all = try await changes.next() else { throw ActionFailure.malformed }
    }
    #expect(try await isIdle(controlPoint))
    for url in ["http://localhost:\(port)/", "https://127.0.0.1/", "", "http://[fe80::1]/"] {
      await #expect(throws: ActionFailure.unreachable) { try await controlPoint.devices(at: url) }
    }
    await #expect(throws: ActionFailure.status(404)) {
      try await controlPoint.devices(at: "http://127.0.0.1:\(port)/nothing")
    }
    await controlPoint.stop()
    await #expect(throws: ChangesEnd.stopped) {
      var changes = remote.changes().makeAsyncIterator()
      _ = try await changes.next()
    }
    #expect(try await isIdle(controlPoint))
    await server.stop()
  }

  /// The system may take its time to say which interfaces there are.
  @Test func nobodyWaitsForTheInterfacesForEver() async throws {
    let controlPoint = Finding.controlPoint(on: loop, interfaces: ["lo"])
    await controlPoint.pretendToMonitor()
    let task = Task { try await controlPoint.devices(at: "http://127.0.0.1:9/") }
    task.cancel()
    await #expect(throws: ActionFailure.cancelled) { try await task.value }
    await controlPoint.pretendToMonitor()
    await #expect(throws: ActionFailure.unreachable) {
      try await controlPoint.devices(at: "http://127.0.0.1:9/")
    }
    await controlPoint.stop()
    #expect(try await isIdle(controlPoint))
  }

  @Test func receivingEndsAndBeginsAgainMeanwhile() async throws {
    let controlPoint = Finding.controlPoint(on: loop, interfaces: ["lo"])
    for _ in 0..<20 {
      async let first: Void = controlPoint.startReceiving()
      await controlPoint.stopReceiving()
      async let second: Void = controlPoint.startReceiving()
      _ = await (first, second)
      // Whoever waited can receive events, by the server of the last beginning.
      #expect(await controlPoint.server != nil)
      await controlPoint.stopReceiving()
      #expect(await controlPoint.server == nil)
    }
    await controlPoint.stop()
    #expect(try await isIdle(controlPoint))
  }

  @Test func aServiceWithoutEventsSaysSo() async throws {
    let controlPoint = Finding.controlPoint(on: loop, interfaces: ["lo"])
    let location = Publisher.location(port: 9, target: nil)
    await #expect(throws: ChangesEnd.noEvents) {
      var changes = controlPoint.service(location).changes().makeAsyncIterator()
      _ = try await changes.next()
    }
    #expect(await controlPoint.isIdle)
  }
}

extension ControlPoint {
  /// Waits for what the system says of the interfaces, which never comes.
  fileprivate func pretendToMonitor() { isMonitoring = true }
}
