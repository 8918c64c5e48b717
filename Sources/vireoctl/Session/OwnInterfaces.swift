import Logging
import Network

/// The interfaces of this machine.
enum OwnInterfaces {
  /// All of them as they are now, running or not.
  static func read(_ session: Session) async throws -> [NetworkInterface] {
    let monitor = NetworkMonitor(
      eventLoop: session.controlPoint.exchange.eventLoop,
      logger: Logger(label: "interfaces") { _ in SwiftLogNoOpLogHandler() })
    let (stream, continuation) = AsyncStream<[NetworkInterface]>.makeStream()
    try await monitor.start { continuation.yield($0) }
    let first = try await within(.seconds(2)) { await stream.first { _ in true } }
    await monitor.stop()
    return first.flatMap(\.self) ?? []
  }
}
