import Logging
import NIOCore
import NIOPosix
import Network
import Testing
import UPnP

@testable import ControlPoint

/// Over real sockets: our own device server is the device.
@Suite(.timeLimit(.minutes(3))) struct FindingTests {
  @Test(arguments: [false, true]) func aDeviceOnThisHostIsFoundAndLeaves(byUDN: Bool) async throws {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let type = "Finding\(UInt32.random(in: 0 ... .max))"
    let kinds: Set<DeviceKind> = [
      byUDN ? .udn(type.uppercased()) : .device("urn:schemas-upnp-org:device:\(type)")
    ]
    let server = Finding.server([Finding.device(type, type: type)], on: loop, interfaces: ["lo"])
    try await server.start()
    let controlPoint = Finding.controlPoint(on: loop, interfaces: ["lo"])
    // The announcements of the start are over: what is found answers a search.
    try await Task.sleep(for: .seconds(2))
    let clock = ContinuousClock()
    let start = clock.now
    let changes = await controlPoint.devices(kinds)
    let change = try #require(await changes.next())
    let taken = clock.now - start
    guard case .appeared(let device) = change else { return #expect(Bool(false), "\(change)") }
    #expect(device.udn == type && device.friendlyName == "A")
    #expect(taken <= .seconds(20), "\(taken)")
    let service = try #require(device.service("urn:schemas-upnp-org:service:ContentDirectory"))
    #expect(
      service.control.address == .v4(0x7f00_0001) && service.events != nil && service.description != nil)
    #expect(await controlPoint.known().map(\.udn).contains(type))
    // Another reader is told at once.
    let others = await controlPoint.devices(kinds)
    #expect(await others.next { $0.short == "appeared A" } != nil)
    await server.stop()
    #expect(await changes.next { $0.short == "left A" } != nil)
    #expect(await others.next { $0.short == "left A" } != nil)
    await controlPoint.stop()
    #expect(await changes.next() == nil)
    #expect(await controlPoint.isIdle)
  }

  /// A search that goes nowhere would put off the next one.
  @Test func theFirstSearchWaitsForTheInterfaces() async throws {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let controlPoint = Finding.controlPoint(on: loop, interfaces: ["lo"])
    let stream = await controlPoint.devices([.mediaServer])
    await controlPoint.assumeOnLoop {
      $0.search()
      if $0.sockets?.endpoints.isEmpty != false { #expect($0.plan.nextDeadline == nil) }
    }
    while await controlPoint.assumeOnLoop({ $0.sockets?.endpoints.isEmpty != false }) {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(await controlPoint.assumeOnLoop { $0.plan.nextDeadline } != nil)
    await controlPoint.stop()
    withExtendedLifetime(stream) {}
  }

  @Test func nothingRunsUnlessSomebodyReads() async throws {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let controlPoint = Finding.controlPoint(on: loop, interfaces: ["lo"])
    #expect(await controlPoint.isIdle)
    await controlPoint.search()
    #expect(await controlPoint.isIdle)
    for _ in 0..<3 {
      // A stream that is dropped, and one whose task is cancelled while it waits.
      do {
        let stream = await controlPoint.devices([.mediaServer])
        #expect(await !controlPoint.isIdle)
        let task = Task { for await _ in stream {} }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        await task.value
        _ = await controlPoint.devices([.mediaRenderer])
      }
      while await !controlPoint.isIdle { try await Task.sleep(for: .milliseconds(5)) }
    }
  }
}

extension ControlPoint {
  fileprivate func assumeOnLoop<Result: Sendable>(_ body: @Sendable (isolated ControlPoint) -> Result)
    -> Result
  {
    body(self)
  }
}
