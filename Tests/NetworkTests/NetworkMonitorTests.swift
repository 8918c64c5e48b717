import Logging
import NIOCore
import NIOPosix
import Testing

@testable import Network

@Suite struct NetworkMonitorTests {
  @Test(.timeLimit(.minutes(1))) func tellsTheInterfacesOfThisHost() async throws {
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let monitor = NetworkMonitor(eventLoop: eventLoop, logger: Logger(label: "test"))
    let (snapshots, continuation) = AsyncStream<[NetworkInterface]>.makeStream()
    try await monitor.start { interfaces in
      eventLoop.preconditionInEventLoop()
      continuation.yield(interfaces)
    }
    var iterator = snapshots.makeAsyncIterator()
    let first = try #require(await iterator.next())
    let loopback = try #require(first.first { $0.isLoopback })
    #expect(loopback.name == "lo")
    #expect(loopback.index == 1)
    await monitor.stop()
    // What stopped can begin again.
    try await monitor.start { continuation.yield($0) }
    #expect(await iterator.next() == first)
    await monitor.stop()
  }

  @Test(.enabled(if: PrivateNetwork.isPossible), .timeLimit(.minutes(1)))
  func followsALink() async {
    await #expect(processExitsWith: .success) { try await NetworkMonitorTests.followALink() }
  }

  private static func followALink() async throws {
    let network = try await PrivateNetwork()
    let monitor = NetworkMonitor(eventLoop: network.eventLoop, logger: Logger(label: "test"))
    let (snapshots, continuation) = AsyncStream<[NetworkInterface]>.makeStream()
    try await monitor.start { continuation.yield($0) }
    var iterator = snapshots.makeAsyncIterator()
    let loopback = NetworkInterface(
      index: 1, name: "lo", addresses: [], isRunning: false, isLoopback: true, canMulticast: false)
    #expect(await iterator.next()?.filter { $0.index == 1 } == [loopback])

    func next(_ isWanted: (NetworkInterface) -> Bool) async -> NetworkInterface? {
      while let snapshot = await iterator.next() {
        if let found = snapshot.first(where: { $0.index == 1 && isWanted($0) }) { return found }
      }
      return nil
    }
    try await network.setLoopback(up: true)
    let up = await next { $0.isRunning && !$0.addresses.isEmpty }
    #expect(up?.addresses.first == InterfaceAddress(address: .v4(0x7f00_0001), prefixLength: 8))
    try await network.setLoopback(up: false)
    #expect(await next { !$0.isRunning } != nil)
    await monitor.stop()
    try await network.close()
  }
}
