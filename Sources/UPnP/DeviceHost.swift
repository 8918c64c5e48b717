import Logging
import NIOCore

/// Serves root devices: descriptions, actions and events over HTTP (UPnP Device Architecture).
///
/// Runs on one event loop; code that is on this loop already calls it through `assumeIsolated`.
public actor DeviceHost {
  let eventLoop: any EventLoop
  private let executor: any SerialExecutor
  let configuration: HostConfiguration
  let logger: Logger
  /// What concerns subscriptions and events.
  let eventLogger: Logger
  private let pages: [String: @Sendable () -> HTTPPage]

  var access: AccessPolicy {
    didSet { acceptedHost = nil }
  }
  /// The last Host header that was found to be ours.
  var acceptedHost: String?
  var routes: RouteTable
  var connections: ConnectionTable
  var channels: [Int: (channel: any Channel, peer: Peer)] = [:]
  /// Unfinished requests have taken so much memory that it is worth giving it back.
  var heldMuch = false
  var pump: EventPump
  var counted = HostStatistics()
  var actionObserver: (@Sendable (ActionRecord) -> Void)?
  private var listeners: [any Channel] = []
  private var notifier: Notifier
  private var stamp: HeaderStamp
  private var limitLog = LimitLog()
  private var isPumpScheduled = false
  private var wakeAt: NIODeadline?
  private var isStopped = false

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - eventLoop: a loop of NIOPosix; everything happens there.
  ///   - pages: by absolute path, served to GET and HEAD.
  ///   - eventLogger: for subscriptions and events; nil for `logger`.
  public init(
    eventLoop: any EventLoop, configuration: HostConfiguration, devices: [RootDevice],
    pages: [String: @Sendable () -> HTTPPage] = [:], logger: Logger, eventLogger: Logger? = nil
  ) {
    self.eventLoop = eventLoop
    executor = eventLoop.executor
    self.configuration = configuration
    self.pages = pages
    self.logger = logger
    self.eventLogger = eventLogger ?? logger
    access = AccessPolicy(allow: configuration.allow, hostnames: configuration.hostnames)
    routes = RouteTable(devices: devices, pages: pages)
    connections = ConnectionTable(limits: configuration.http)
    pump = EventPump(limits: configuration.events)
    notifier = Notifier(eventLoop: eventLoop, limits: configuration.events)
    stamp = HeaderStamp(server: configuration.serverToken)
    _ = pump.setServices(routes.eventing)
  }

  /// Identifies the present combination of descriptions and SCPDs, 0…16777215.
  public var configID: Int { routes.configID }

  public var statistics: HostStatistics {
    var statistics = counted
    statistics.connections = connections.count
    statistics.subscriptions = pump.table.count(at: .now())
    statistics.eventsDelivered = pump.counts.delivered
    statistics.eventsFailed = pump.counts.failed
    statistics.subscriptionsDropped = pump.counts.subscriptionsDropped
    return statistics
  }

  /// Has `observer` told of every action, on the event loop. Without one, nothing is measured.
  public func observeActions(_ observer: @escaping @Sendable (ActionRecord) -> Void) {
    actionObserver = observer
  }

  // MARK: - Life

  /// Where a host listens.
  public struct Listening: Sendable, Hashable {
    /// The same for IPv4 and IPv6.
    public var port: Int
    /// False when IPv6 isn't wanted, or the port couldn't be had there: nobody may be sent there then.
    public var ipv6: Bool
  }

  /// Begins to listen and tells where.
  ///
  /// - Throws: the system's error when the port can't be had; the default port gives way to any free one. IPv6 is done
  ///   without.
  public func start() async throws -> Listening {
    let first: any Channel
    do {
      first = try await listen(port: configuration.port, ipv6: false)
    } catch  where HTTPServer.isPortTaken(error) && configuration.port == HostConfiguration.defaultPort {
      logger.notice(
        "port is taken by another program, any free one is used instead; set `port` to have a fixed one",
        metadata: ["port": "\(configuration.port)"])
      first = try await listen(port: 0, ipv6: false)
    }
    listeners.append(first)
    var listening = Listening(port: first.localAddress?.port ?? configuration.port, ipv6: false)
    if configuration.ipv6 {
      do {
        listeners.append(try await listen(port: listening.port, ipv6: true))
        listening.ipv6 = true
      } catch {
        logger.notice(
          "nothing is served on IPv6, where the port can't be had; set `ipv6 = false` if this host has none, or another `port`",
          metadata: ["port": "\(listening.port)", "error": "\(error)"])
      }
    }
    logger.info("listening", metadata: ["port": "\(listening.port)"])
    return listening
  }

  private func listen(port: Int, ipv6: Bool) async throws -> any Channel {
    try await HTTPServer.listen(port: port, ipv6: ipv6, on: eventLoop, limits: configuration.http, host: self)
  }

  /// Stops listening, and ends all connections and subscriptions.
  public func shutdown() async {
    isStopped = true
    let closing = listeners + channels.values.map(\.channel)
    listeners = []
    carryOut(pump.removeAll())
    notifier.shutdown()
    for channel in closing { try? await channel.close().get() }
  }

  /// Takes the interfaces as they are now, as chosen by ``InterfaceSelection/served(of:)``; with none, only this machine
  /// itself is served.
  public func setInterfaces(_ interfaces: [NetworkInterface]) {
    access.interfaces = interfaces
    routes.forgetAddresses()
  }

  /// Takes over other networks whose hosts may connect, and other names of this host. Connections that are there
  /// stay.
  public func setAccess(allow: [IPNetwork], hostnames: [String]) {
    let interfaces = access.interfaces
    access = AccessPolicy(allow: allow, hostnames: hostnames)
    access.interfaces = interfaces
  }

  /// Replaces the devices, as for a rename; subscriptions to services that remain go on.
  public func setDevices(_ devices: [RootDevice]) {
    routes = RouteTable(devices: devices, pages: pages)
    carryOut(pump.setServices(routes.eventing))
  }

  // MARK: - Events

  /// Tells that views may have changed; the differences leave once the current work on the loop is done.
  public func stateChanged() {
    guard !isPumpScheduled, !isStopped, pump.table.count > 0 else { return }
    isPumpScheduled = true
    eventLoop.execute { self.assumeIsolated { $0.pumpState() } }
  }

  private func pumpState() {
    isPumpScheduled = false
    carryOut(pump.stateChanged(now: .now(), values: eventedValues))
  }

  /// The response to a SUBSCRIBE has left, or never will.
  func subscriptionAnswered(_ sid: SID, hasLeft: Bool) {
    if hasLeft {
      carryOut(pump.answered(sid, now: .now(), values: eventedValues))
    } else if let service = pump.table[sid]?.service,
      let effects = pump.unsubscribe(sid, of: service, now: .now())
    {
      carryOut(effects)
    }
  }

  private func eventedValues(_ service: ServiceKey) -> ServiceReading {
    guard let provider = routes.services[service]?.provider else { return ServiceReading() }
    return ServiceReading(values: provider.eventedValues(), nextChange: provider.nextChange())
  }

  func carryOut(_ effects: EventEffects) {
    for token in effects.abort { notifier.abort(token) }
    for subscription in effects.dropped {
      eventLogger.info(
        "a subscriber is gone, its subscription ended",
        metadata: ["subscriber": "\(subscription.subscriber)", "service": "\(subscription.service.name)"])
    }
    for delivery in effects.send {
      notifier.send(delivery) { outcome in
        self.assumeIsolated {
          $0.carryOut($0.pump.finished(delivery.token, of: delivery.sid, outcome, now: .now()))
        }
      }
    }
    armTimer()
  }

  /// One timer for all windows and deliveries, and none while nothing is pending.
  private func armTimer() {
    guard let next = pump.nextWake, next < wakeAt ?? .distantFuture else { return }
    wakeAt = next
    eventLoop.scheduleTask(deadline: next) {
      self.assumeIsolated { host in
        // One that was overtaken by an earlier timer has nothing to do.
        guard host.wakeAt == next else { return }
        host.wakeAt = nil
        host.carryOut(host.pump.tick(now: .now(), values: host.eventedValues))
      }
    }
  }

  // MARK: - What every response and refusal needs

  func stampLines() -> [UInt8] { stamp.current() }

  /// Counts a refusal and reports it, at most once a minute per reason.
  func note(_ reason: Refusal, _ peer: Peer) {
    counted.refusals[reason, default: 0] += 1
    let (suppressed, shouldLog) = limitLog.shouldLog(reason, now: .now())
    guard shouldLog else { return }
    let logger = reason.concernsEvents ? eventLogger : logger
    logger.warning(
      "\(reason.advice)",
      metadata: ["from": "\(peer.remote)", "at": "\(peer.local)", "before": "\(suppressed)"])
  }
}
