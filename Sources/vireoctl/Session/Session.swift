import ControlPoint
import Glibc
import Logging
import NIOPosix
import Network
import UPnP

/// What a command works with.
final class Session: Sendable {
  let options: GlobalOptions
  let output: Output
  /// Finds devices, calls them, and takes their events.
  let controlPoint: ControlPoint

  init(_ options: GlobalOptions) {
    self.options = options
    output = Output(options)
    var logger = Logger(label: "vireoctl") { _ in StderrLog() }
    logger.logLevel = options.verbose ? .debug : .error
    var configuration = ControlPointConfiguration()
    configuration.mx = 1
    configuration.maximumDevices = 512
    configuration.interfaces = options.interfaces
    configuration.userAgent = HostConfiguration.serverToken(product: "vireoctl", version: Version.number)
    controlPoint = ControlPoint(
      eventLoop: MultiThreadedEventLoopGroup(numberOfThreads: 1).next(), configuration: configuration,
      logger: logger)
  }

  /// Ends subscriptions and closes everything.
  func end() async { await controlPoint.stop() }

  /// The addresses of this machine.
  var ownAddresses: Set<IPAddress> {
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
    for (name, value) in (event.metadata ?? [:]).sorted(by: { $0.key < $1.key }) {
      text += " \(name)=\(value)"
    }
    Output.writeError(TerminalText.shown(text) + "\n")
  }
}
