import HTTP
import Logging
import NIOCore
import Network

/// Serves the root devices of one port: descriptions, actions and events over HTTP (UPnP Device Architecture).
///
/// Runs on one event loop; code that is on this loop already calls it through `assumeIsolated`.
public actor DeviceHost {
  nonisolated let eventLoop: any EventLoop
  private nonisolated let executor: any SerialExecutor
  nonisolated let server: HTTPServer
  nonisolated let configuration: HostConfiguration
  let logger: Logger
  /// For subscriptions and events.
  let eventLogger: Logger
  /// What is served besides the devices.
  private let responders: [any Responder]
  var routes: RouteTable
  var pump: EventPump
  var counted = HostStatistics()
  var actionObserver: (@Sendable (ActionRecord) -> Void)?
  private var notifier: Notifier
  var failingLog = LimitLog<DeliveryOutcome>()
  /// Views may have changed, and subscribers haven't been sent the changes yet.
  private(set) var isPumpScheduled = false
  /// Answers held back until their control points have been sent the events that their actions caused.
  var heldAnswers = HeldResponses()
  var waitingActions = WaitingActions()
  private var wakeAt: NIODeadline?
  private(set) var isStopped = false

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Makes a host for `devices`; it listens after ``start()``.
  ///
  /// - Parameters:
  ///   - eventLoop: a loop of NIOPosix; everything runs on it.
  ///   - responders: what is served besides the devices, for example ``Pages``.
  ///   - eventLogger: for subscriptions and events; nil for `logger`.
  public init(
    eventLoop: any EventLoop, configuration: HostConfiguration, devices: [RootDevice],
    responders: [any Responder] = [], logger: Logger, eventLogger: Logger? = nil
  ) {
    self.eventLoop = eventLoop
    executor = eventLoop.executor
    self.configuration = configuration
    self.responders = responders
    self.logger = logger
    self.eventLogger = eventLogger ?? logger
    server = HTTPServer(eventLoop: eventLoop, configuration: configuration.server, logger: logger)
    routes = RouteTable(devices: devices)
    pump = EventPump(limits: configuration.events)
    notifier = Notifier(eventLoop: eventLoop, limits: configuration.events)
    _ = pump.setServices(routes.eventing)
  }

  /// Returns the devices, as they are served while the host listens on `port`.
  func served(at port: Int) -> [ServedDevice] {
    zip(routes.devices, routes.configIDs).map {
      ServedDevice(device: $0, port: port, serverToken: configuration.serverToken, configID: $1)
    }
  }

  public var statistics: HostStatistics {
    var statistics = counted
    server.assumeIsolated {
      statistics.requests = $0.requestCount
      statistics.refusals = $0.refusals
      statistics.connections = $0.connectionCount
    }
    statistics.subscriptions = pump.table.count(at: .now())
    statistics.eventsDelivered = pump.counts.delivered
    statistics.eventsFailed = pump.counts.failed
    statistics.subscriptionsDropped = pump.counts.subscriptionsDropped
    return statistics
  }

  /// Calls `observer` on the event loop after every action; without an observer, nothing is measured.
  public func observeActions(_ observer: @escaping @Sendable (ActionRecord) -> Void) {
    actionObserver = observer
  }

  // MARK: - Life

  /// Starts to listen and returns the port.
  ///
  /// If the default port is taken, any free one is used instead. If IPv6 fails, only IPv4 is served.
  ///
  /// - Throws: the system's error when the port can't be opened.
  public func start() async throws -> HTTPServer.Listening { try await server.start([self] + responders) }

  /// Stops listening, and ends all connections and subscriptions.
  public func shutdown() async {
    isStopped = true
    carryOut(pump.removeAll())
    notifier.closeKept()
    await server.shutdown()
  }

  /// Sets the current interfaces, as chosen by ``InterfaceSelection/served(of:)``; with none, only this machine is
  /// served.
  public func setInterfaces(_ interfaces: [NetworkInterface]) {
    let known = access.interfaces
    let isBack = interfaces.contains { !known.contains($0) }
    // A kept connection may have the address that is gone: the next event on it would be lost.
    if interfaces != known { notifier.closeKept() }
    server.assumeIsolated { $0.setInterfaces(interfaces) }
    routes.forgetAddresses()
    guard isBack else { return }
    pump.networkReturned()
    armTimer()
  }

  /// False while the port of its own addresses is taken everywhere.
  var isReachable: Bool { server.assumeIsolated { $0.isReachable } }

  /// See `HTTPServer.observeListening`.
  func observeListening(_ observer: @escaping @Sendable (ListeningChange) -> Void) {
    server.assumeIsolated { $0.observeListening(observer) }
  }

  /// Replaces the networks whose hosts may connect, and this host's additional names; open connections stay.
  public func setAccess(allow: [IPNetwork], hostnames: [String]) {
    server.assumeIsolated { $0.setAccess(allow: allow, hostnames: hostnames) }
  }

  /// Decides where events may be sent.
  var access: AccessPolicy { server.assumeIsolated { $0.access } }

  /// Replaces the UPnP devices, for example to rename one; subscriptions to services that remain continue.
  public func setDevices(_ devices: [RootDevice]) {
    routes = RouteTable(devices: devices)
    carryOut(pump.setServices(routes.eventing))
  }

  // MARK: - Events

  /// Reports that views may have changed; the changes are sent once the current work on the event loop is done.
  public func stateChanged() {
    guard !isPumpScheduled, !isStopped, pump.table.count > 0 else { return }
    isPumpScheduled = true
    eventLoop.execute { self.assumeIsolated { $0.pumpState() } }
  }

  /// Sends the changes since the last time.
  func pumpState() {
    guard isPumpScheduled else { return }
    isPumpScheduled = false
    carryOut(pump.stateChanged(now: .now(), values: eventedValues))
  }

  /// Called when the response to a SUBSCRIBE has been sent, or can't be sent any more.
  func subscriptionAnswered(_ sid: SID, hasLeft: Bool) {
    if hasLeft {
      carryOut(pump.answered(sid, now: .now(), values: eventedValues))
    } else if let service = pump.table[sid]?.service,
      let effects = pump.unsubscribe(sid, of: service, now: .now())
    {
      carryOut(effects)
    }
  }

  private func eventedValues(_ service: ServiceKey, holding held: HeldValues) -> ServiceReading {
    guard let provider = routes.services[service]?.provider else { return ServiceReading() }
    return ServiceReading(values: provider.eventedValues(holding: held), nextChange: provider.nextChange())
  }

  func carryOut(_ effects: EventEffects) {
    for token in effects.abort { notifier.abort(token) }
    for subscription in effects.dropped {
      eventLogger.info(
        "a subscriber doesn't know its subscription any more, which has ended",
        metadata: ["subscriber": "\(subscription.subscriber)", "service": "\(subscription.service.name)"])
    }
    for subscription in effects.lost {
      eventLogger.debug(
        "a subscriber can't be reached; it is tried again until its subscription has run out",
        metadata: ["subscriber": "\(subscription.subscriber)", "service": "\(subscription.service.name)"])
    }
    for failing in effects.failing { report(failing) }
    for delivery in effects.send {
      notifier.send(delivery) { outcome in
        self.assumeIsolated {
          $0.carryOut($0.pump.finished(delivery.token, of: delivery.sid, outcome, now: .now()))
        }
      }
    }
    armTimer()
    releaseAnswers()
  }

  /// Sets the one timer for all moderation windows and deliveries; none runs while nothing is pending.
  func armTimer() {
    guard let next = pump.nextWake, next < wakeAt ?? .distantFuture else { return }
    wakeAt = next
    eventLoop.scheduleTask(deadline: next) {
      self.assumeIsolated { host in
        // An earlier timer has replaced this one.
        guard host.wakeAt == next else { return }
        host.wakeAt = nil
        host.carryOut(host.pump.tick(now: .now(), values: host.eventedValues))
      }
    }
  }

  /// Counts a refusal and logs it, at most once a minute per reason.
  func note(_ reason: RefusalReason, _ peer: Peer, logger: Logger? = nil) {
    server.assumeIsolated { $0.note(reason, peer, logger: logger) }
  }
}
