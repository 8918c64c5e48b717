import Logging
import NIOCore
import NIOPosix
import Testing

@testable import UPnP

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
}
