import HTTP
import Logging
import NIOCore
import Network

/// Serves root devices and announces them on the networks that this host is on: an HTTP server, discovery, and a look at
/// the interfaces.
///
/// Runs on one event loop; code that is on this loop already calls it through `assumeIsolated`.
public actor DeviceServer {
  /// Serves the devices; for statistics and for changes of their state.
  public nonisolated let host: DeviceHost
  package nonisolated let monitor: NetworkMonitor
  package private(set) var discovery: Discovery?
  private nonisolated let executor: any SerialExecutor
  private nonisolated let eventLoop: any EventLoop
  private let configuration: DeviceServerConfiguration
  private let loggers: DeviceServerLoggers
  private let firstBootID: Int
  private var devices: [RootDevice]
  /// Nil before the server listens.
  private var listening: HTTPServer.Listening?
  private var onChange: @Sendable (NetworkReach) -> Void = { _ in }

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Makes a server that is silent until ``start(onChange:)``.
  ///
  /// - Parameters:
  ///   - eventLoop: a loop of NIOPosix; everything runs on it.
  ///   - responders: what is served besides the devices, for example `Pages`.
  ///   - bootID: higher than any used before, for example seconds since 1970.
  public init(
    eventLoop: any EventLoop, configuration: DeviceServerConfiguration, devices: [RootDevice],
    responders: [any Responder] = [], bootID: Int, loggers: DeviceServerLoggers
  ) {
    self.eventLoop = eventLoop
    executor = eventLoop.executor
    self.configuration = configuration
    self.devices = devices
    self.loggers = loggers
    firstBootID = bootID
    host = DeviceHost(
      eventLoop: eventLoop, configuration: configuration.host, devices: devices, responders: responders,
      logger: loggers.http, eventLogger: loggers.events)
    monitor = NetworkMonitor(eventLoop: eventLoop, logger: loggers.network)
  }

  /// The current BOOTID; store it, and start with a higher one next time.
  public var bootID: Int { discovery?.assumeIsolated { $0.bootID } ?? firstBootID }

  /// Listens, and announces the devices from then on, wherever the network goes.
  ///
  /// - Parameter onChange: called on the event loop, soon after the start and after every change of the network.
  /// - Throws: the system's error when the port can't be opened, or the network can't be watched.
  @discardableResult
  public func start(
    onChange: @escaping @Sendable (NetworkReach) -> Void = { _ in }
  ) async throws -> HTTPServer.Listening {
    let listening = try await listen()
    try announce(on: listening, onChange: onChange)
    return listening
  }

  /// The first half of ``start(onChange:)``.
  package func listen() async throws -> HTTPServer.Listening { try await host.start() }

  /// The second half of ``start(onChange:)``.
  package func announce(
    on listening: HTTPServer.Listening, onChange: @escaping @Sendable (NetworkReach) -> Void
  ) throws {
    self.listening = listening
    self.onChange = onChange
    let discovery = Discovery(
      eventLoop: eventLoop, configuration: configuration.discovery, devices: devices,
      configID: host.assumeIsolated { $0.configID }, bootID: firstBootID, logger: loggers.discovery)
    self.discovery = discovery
    try discovery.assumeIsolated { try $0.start(httpPort: listening.port) }
    try monitor.assumeIsolated { try $0.start { self.networkChanged(to: $0) } }
  }

  /// The interfaces to use. IPv6 isn't announced unless the server listens on it.
  private var selection: InterfaceSelection {
    InterfaceSelection(names: configuration.interfaces, ipv6: listening?.ipv6 ?? false)
  }

  /// Follows a change of the network.
  ///
  /// - Parameter interfaces: all interfaces of the host.
  package nonisolated func networkChanged(to interfaces: [NetworkInterface]) {
    assumeIsolated { server in
      let selection = server.selection
      let reach = NetworkReach(
        served: selection.served(of: interfaces), announced: selection.announced(of: interfaces),
        leftOut: selection.leftOut(of: interfaces))
      server.host.assumeIsolated { $0.setInterfaces(reach.served) }
      server.discovery?.assumeIsolated { $0.setInterfaces(reach.announced) }
      server.onChange(reach)
    }
  }

  /// Reports that views may have changed; subscribers are sent the changes.
  public nonisolated func stateChanged() {
    eventLoop.execute { [host] in host.assumeIsolated { $0.stateChanged() } }
  }

  /// Replaces the devices, for example to rename one: the old ones are withdrawn and the new ones announced. Subscriptions
  /// to services that remain continue.
  public func setDevices(_ devices: [RootDevice]) {
    self.devices = devices
    let configID = host.assumeIsolated {
      $0.setDevices(devices)
      $0.stateChanged()
      return $0.configID
    }
    discovery?.assumeIsolated { $0.setDevices(devices, configID: configID) }
  }

  /// Says goodbye on all networks; the devices can still be reached.
  public func leave() async {
    await monitor.stop()
    if let discovery { await discovery.shutdown() }
  }

  /// Says goodbye, and ends all connections and subscriptions.
  public func stop() async {
    await leave()
    await host.shutdown()
  }
}
