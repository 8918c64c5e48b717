import HTTP
import Logging
import NIOCore
import Network

/// Serves root devices and announces them on the networks that this host is on: an HTTP server for each of their ports,
/// discovery, and a look at the interfaces.
///
/// Runs on one event loop; code that is on this loop already calls it through `assumeIsolated`.
public actor DeviceServer {
  /// One for each port. The first has the server's own port and serves the responders as well.
  package nonisolated let hosts: [DeviceHost]
  package nonisolated let monitor: NetworkMonitor
  package private(set) var discovery: Discovery?
  private nonisolated let executor: any SerialExecutor
  private nonisolated let eventLoop: any EventLoop
  private let configuration: DeviceServerConfiguration
  private let loggers: DeviceServerLoggers
  private let firstBootID: Int
  /// Where each of the hosts listens; empty before.
  private var listening: [HTTPServer.Listening] = []
  private var onChange: @Sendable (NetworkReach) -> Void = { _ in }
  private var onListening: @Sendable (ListeningChange) -> Void = { _ in }
  /// Of each of the hosts, whether its devices were announced when that was last looked at.
  private var reachable: [Bool] = []

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Makes a server that is silent until ``start(onChange:)``.
  ///
  /// - Parameters:
  ///   - eventLoop: a loop of NIOPosix; everything runs on it.
  ///   - responders: what is served at the server's own port besides the devices, for example `Pages`.
  ///   - portResponders: the same at the ports of devices that have one of their own.
  ///   - bootID: higher than any used before, for example seconds since 1970.
  public init(
    eventLoop: any EventLoop, configuration: DeviceServerConfiguration, devices: [RootDevice],
    responders: [any Responder] = [], portResponders: [Int: [any Responder]] = [:], bootID: Int,
    loggers: DeviceServerLoggers
  ) {
    self.eventLoop = eventLoop
    executor = eventLoop.executor
    self.configuration = configuration
    self.loggers = loggers
    firstBootID = bootID
    var settings = [configuration.host]
    for own in devices.map(configuration.host.settings) where !settings.contains(own) { settings.append(own) }
    hosts = settings.map { own in
      DeviceHost(
        eventLoop: eventLoop, configuration: own,
        devices: devices.filter { configuration.host.settings(for: $0) == own },
        responders: own == configuration.host ? responders : portResponders[own.port] ?? [],
        logger: loggers.http,
        eventLogger: loggers.events)
    }
    monitor = NetworkMonitor(eventLoop: eventLoop, logger: loggers.network)
  }

  /// The server of the port that serves the responders: for answers that come later, and those that are sent piece by piece.
  package nonisolated var http: HTTPServer { hosts[0].server }

  /// As ``http``, of another port; nil when no device has it.
  package nonisolated func http(at port: Int) -> HTTPServer? {
    hosts.first { $0.configuration.port == port }?.server
  }

  /// The current BOOTID; store it, and start with a higher one next time.
  public var bootID: Int { discovery?.assumeIsolated { $0.bootID } ?? firstBootID }

  /// The counters of all ports together.
  public var statistics: HostStatistics {
    var statistics = HostStatistics()
    for host in hosts { statistics.add(host.assumeIsolated { $0.statistics }) }
    return statistics
  }

  /// Who is subscribed to which services, once for each subscription.
  package var subscribers: [(address: IPAddress, service: String)] {
    hosts.flatMap { $0.assumeIsolated { $0.pump.table.subscribers(at: .now()) } }
  }

  /// Calls `observer` on the event loop after every action; without an observer, nothing is measured.
  public func observeActions(_ observer: @escaping @Sendable (ActionRecord) -> Void) {
    for host in hosts { host.assumeIsolated { $0.observeActions(observer) } }
  }

  /// Listens, and announces the devices from then on, wherever the network goes.
  ///
  /// - Parameter onChange: called on the event loop, soon after the start and after every change of the network.
  /// - Returns: where the server's own port is.
  /// - Throws: the system's error when a port can't be opened, or the network can't be watched.
  @discardableResult
  public func start(
    onChange: @escaping @Sendable (NetworkReach) -> Void = { _ in }
  ) async throws -> HTTPServer.Listening {
    let listening = try await listen()
    try announce(onChange: onChange)
    return listening
  }

  /// The first half of ``start(onChange:)``.
  package func listen() async throws -> HTTPServer.Listening {
    do {
      for host in hosts { listening.append(try await host.start()) }
    } catch {
      for host in hosts { await host.shutdown() }
      throw error
    }
    return listening[0]
  }

  /// The second half of ``start(onChange:)``.
  package func announce(onChange: @escaping @Sendable (NetworkReach) -> Void) throws {
    self.onChange = onChange
    watchListening()
    let discovery = Discovery(
      eventLoop: eventLoop, configuration: configuration.discovery, devices: servedDevices,
      bootID: firstBootID, logger: loggers.discovery)
    self.discovery = discovery
    try discovery.assumeIsolated { try $0.start() }
    try monitor.assumeIsolated { try $0.start { self.networkChanged(to: $0) } }
  }

  /// The devices that can be reached.
  private var servedDevices: [ServedDevice] {
    zip(hosts, listening).flatMap { host, listening in
      host.assumeIsolated { $0.isReachable ? $0.served(at: listening.port) : [] }
    }
  }

  /// Calls `observer` on the event loop when a port of this host's own addresses (``DeviceHabits/listensAtOwnAddresses``) can't be
  /// opened at one of them, and when it can after all.
  public func observeListening(_ observer: @escaping @Sendable (ListeningChange) -> Void) {
    onListening = observer
  }

  private func watchListening() {
    for host in hosts where host.configuration.atOwnAddresses {
      host.assumeIsolated {
        $0.observeListening { change in
          self.assumeIsolated { server in
            server.onListening(change)
            server.reachChanged()
          }
        }
      }
    }
  }

  /// Announces and withdraws devices as their ports can be opened or not.
  private func reachChanged() {
    let now = hosts.map { $0.assumeIsolated { $0.isReachable } }
    defer { reachable = now }
    guard now != reachable, !reachable.isEmpty || now.contains(false) else { return }
    let served = servedDevices
    discovery?.assumeIsolated { $0.setDevices(served) }
  }

  /// The interfaces to use. IPv6 isn't announced unless the server listens on it.
  private var selection: InterfaceSelection {
    InterfaceSelection(
      names: configuration.interfaces,
      ipv6: configuration.host.ipv6 && !listening.isEmpty
        && zip(hosts, listening).allSatisfy { $1.ipv6 || !$0.configuration.ipv6 })
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
      for host in server.hosts { host.assumeIsolated { $0.setInterfaces(reach.served) } }
      server.reachChanged()
      server.discovery?.assumeIsolated { $0.setInterfaces(reach.announced) }
      server.onChange(reach)
    }
  }

  /// Replaces the networks whose hosts may connect, and this host's additional names; open connections stay.
  public func setAccess(allow: [IPNetwork], hostnames: [String]) {
    for host in hosts { host.assumeIsolated { $0.setAccess(allow: allow, hostnames: hostnames) } }
  }

  /// Reports that views may have changed; subscribers are sent the changes once the current work on the event loop is done.
  public nonisolated func stateChanged() {
    guard eventLoop.inEventLoop else { return eventLoop.execute { self.stateChanged() } }
    for host in hosts { host.assumeIsolated { $0.stateChanged() } }
  }

  /// Replaces the devices, for example to rename one: the old ones are withdrawn and the new ones announced. Subscriptions
  /// to services that remain continue.
  ///
  /// The ports stay those of the devices that the server was made with. A device at another port isn't served.
  public func setDevices(_ devices: [RootDevice]) {
    for host in hosts {
      host.assumeIsolated { host in
        host.setDevices(devices.filter { configuration.host.settings(for: $0) == host.configuration })
        host.stateChanged()
      }
    }
    for device in devices {
      let settings = configuration.host.settings(for: device)
      guard !hosts.contains(where: { $0.configuration == settings }) else { continue }
      loggers.http.error(
        "a device isn't served: no port was opened for it at the start",
        metadata: ["device": "\(device.device.friendlyName)", "port": "\(settings.port)"])
    }
    let served = servedDevices
    discovery?.assumeIsolated { $0.setDevices(served) }
  }

  /// Says goodbye on all networks; the devices can still be reached.
  public func leave() async {
    await monitor.stop()
    if let discovery { await discovery.shutdown() }
  }

  /// Says goodbye, and ends all connections and subscriptions.
  public func stop() async {
    await leave()
    for host in hosts { await host.shutdown() }
  }
}
