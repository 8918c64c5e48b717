import ControlPoint
import Glibc
import HTTP
import Logging
import NIOCore
import NIOPosix
import Network
import UPnP

/// What a command works with: one event loop, and what runs on it.
actor Session {
  nonisolated let options: GlobalOptions
  nonisolated let output: Output
  nonisolated let eventLoop: any EventLoop
  nonisolated let exchange: HTTPExchange
  nonisolated let logger: Logger
  private var found: ControlPoint?
  private var events: (subscriptions: EventSubscriptions, server: HTTPServer, monitor: NetworkMonitor)?

  init(_ options: GlobalOptions) {
    self.options = options
    output = Output(options)
    let eventLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    self.eventLoop = eventLoop
    var logger = Logger(label: "vireoctl") { _ in StderrLog() }
    logger.logLevel = options.verbose ? .debug : .error
    self.logger = logger
    exchange = HTTPExchange(
      eventLoop: eventLoop, userAgent: HostConfiguration.serverToken(product: "vireoctl", version: Version.number))
  }

  /// Finds devices.
  func controlPoint() -> ControlPoint {
    if let found { return found }
    var configuration = ControlPointConfiguration()
    configuration.mx = 1
    configuration.maximumDevices = 512
    configuration.interfaces = options.interfaces
    configuration.userAgent = HostConfiguration.serverToken(product: "vireoctl", version: Version.number)
    let made = ControlPoint(
      eventLoop: eventLoop, exchange: exchange, configuration: configuration, logger: logger)
    found = made
    return made
  }

  /// Subscriptions to devices' events; the first call opens the port that they come to.
  func subscriptions() async throws -> EventSubscriptions {
    if let events { return events.subscriptions }
    let subscriptions = EventSubscriptions(exchange: exchange, logger: logger)
    let server = HTTPServer(eventLoop: eventLoop, configuration: HTTPConfiguration(), logger: logger)
    let listening = try await server.start([subscriptions])
    await subscriptions.setListening(listening)
    let monitor = NetworkMonitor(eventLoop: eventLoop, logger: logger)
    let interfaces = AsyncStream<Void>.makeStream()
    try await monitor.start { list in
      server.assumeIsolated { $0.setInterfaces(list) }
      subscriptions.assumeIsolated { $0.setInterfaces(list) }
      interfaces.continuation.finish()
    }
    // Without them no subscription would have an address to be answered at.
    for await _ in interfaces.stream {}
    events = (subscriptions, server, monitor)
    return subscriptions
  }

  /// The service of a device.
  nonisolated func remote(_ location: ServiceLocation) -> RemoteService {
    RemoteService(location, through: exchange)
  }

  /// Ends subscriptions and closes everything.
  func end() async {
    if let events {
      await events.subscriptions.stop()
      await events.monitor.stop()
      await events.server.shutdown()
    }
    if let found { await found.stop() }
    await exchange.closeKept()
  }

  /// The addresses of this machine.
  nonisolated var ownAddresses: Set<IPAddress> {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var addresses: Set<IPAddress> = []
    var next = list
    while let entry = next {
      next = entry.pointee.ifa_next
      guard let raw = entry.pointee.ifa_addr else { continue }
      switch Int32(raw.pointee.sa_family) {
      case AF_INET:
        raw.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          _ = addresses.insert(.v4(UInt32(bigEndian: $0.pointee.sin_addr.s_addr)))
        }
      case AF_INET6:
        raw.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
          let bytes = withUnsafeBytes(of: address.pointee.sin6_addr) { Array($0) }
          if let address = IPAddress(networkBytes: bytes) { addresses.insert(address) }
        }
      default: break
      }
    }
    return addresses
  }
}

/// Writes what is done to stderr.
private struct StderrLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.error

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var text = "vireoctl: \(event.message)"
    for (name, value) in (event.metadata ?? [:]).sorted(by: { $0.key < $1.key }) { text += " \(name)=\(value)" }
    Output.writeError(TerminalText.clean(text) + "\n")
  }
}
