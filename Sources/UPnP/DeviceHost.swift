import Logging
import NIOCore
import Network

/// Serves root devices: descriptions, actions and events over HTTP (UPnP Device Architecture).
///
/// Runs on one event loop; code that is on this loop already calls it through `assumeIsolated`.
public actor DeviceHost {
  let eventLoop: any EventLoop
  private let executor: any SerialExecutor
  let configuration: HostConfiguration
  let logger: Logger
  /// For subscriptions and events.
  let eventLogger: Logger
  private let pages: [String: @Sendable () -> HTTPPage]

  var access: AccessPolicy {
    didSet { acceptedHost = nil }
  }
  /// The last Host header that was accepted.
  var acceptedHost: String?
  var routes: RouteTable
  var connections: ConnectionTable
  var channels: [Int: (channel: any Channel, peer: Peer)] = [:]
  /// Builds the answers that are too long for one turn of the event loop.
  var longAnswers = SteppedResponses()
  /// Requests that wait for a later turn of the event loop.
  var requestTurns = RequestTurns()
  /// True when long answers or waiting requests continue in the next turn.
  var isTurnScheduled = false
  /// True after unfinished requests took so much memory that it is worth returning it to the system.
  var heldMuch = false
  var pump: EventPump
  var counted = HostStatistics()
  var actionObserver: (@Sendable (ActionRecord) -> Void)?
  private var listeners: [any Channel] = []
  private var notifier: Notifier
  private var stamp: CommonHeaders
  private var limitLog = LimitLog<RefusalReason>()
  var failingLog = LimitLog<DeliveryOutcome>()
  /// Views may have changed, and subscribers haven't been sent the changes yet.
  private(set) var isPumpScheduled = false
  /// Answers held back until their control points have been sent the events that their actions caused.
  var heldAnswers = HeldResponses()
  private var wakeAt: NIODeadline?
  private(set) var isStopped = false

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Makes a host for `devices`; it listens after ``start()``.
  ///
  /// - Parameters:
  ///   - eventLoop: a loop of NIOPosix; everything runs on it.
  ///   - pages: by absolute path; served to GET and HEAD.
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
    stamp = CommonHeaders(server: configuration.serverToken)
    _ = pump.setServices(routes.eventing)
  }

  /// Identifies the current combination of descriptions and SCPDs, 0…16777215.
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

  /// Calls `observer` on the event loop after every action; without an observer, nothing is measured.
  public func observeActions(_ observer: @escaping @Sendable (ActionRecord) -> Void) {
    actionObserver = observer
  }

  // MARK: - Life

  /// Where a host listens.
  public struct Listening: Sendable, Hashable {
    /// The port, the same for IPv4 and IPv6.
    public var port: Int
    /// False when IPv6 is off, or its port can't be opened; no IPv6 address may be announced then.
    public var ipv6: Bool
  }

  /// Starts to listen and returns the port.
  ///
  /// If the default port is taken, any free one is used instead. If IPv6 fails, only IPv4 is served.
  ///
  /// - Throws: the system's error when the port can't be opened.
  public func start() async throws -> Listening {
    let first: any Channel
    do {
      first = try await listen(port: configuration.port, ipv6: false)
    } catch  where HTTPServer.isPortTaken(error) && configuration.port == HostConfiguration.defaultPort {
      logger.notice(
        "port is taken by another program, any free one is used instead; set [network] port to have a fixed one",
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
          "nothing is served on IPv6, because the port can't be opened there; set [network] ipv6 = false if this host has no IPv6, or choose another port",
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
    notifier.closeKept()
    for channel in closing { try? await channel.close().get() }
  }

  /// Sets the current interfaces, as chosen by ``InterfaceSelection/served(of:)``; with none, only this machine is
  /// served.
  public func setInterfaces(_ interfaces: [NetworkInterface]) {
    let isBack = interfaces.contains { !access.interfaces.contains($0) }
    // A kept connection may have the address that is gone: the next event on it would be lost.
    if interfaces != access.interfaces { notifier.closeKept() }
    access.interfaces = interfaces
    routes.forgetAddresses()
    guard isBack else { return }
    pump.networkReturned()
    armTimer()
  }

  /// Replaces the networks whose hosts may connect, and this host's additional names; open connections stay.
  public func setAccess(allow: [IPNetwork], hostnames: [String]) {
    let interfaces = access.interfaces
    access = AccessPolicy(allow: allow, hostnames: hostnames)
    access.interfaces = interfaces
  }

  /// Replaces the UPnP devices, for example to rename one; subscriptions to services that remain continue.
  public func setDevices(_ devices: [RootDevice]) {
    routes = RouteTable(devices: devices, pages: pages)
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

  // MARK: - Shared by all responses and refusals

  func stampLines() -> [UInt8] { stamp.current() }

  /// Counts a refusal and logs it, at most once a minute per reason.
  func note(_ reason: RefusalReason, _ peer: Peer) {
    counted.refusals[reason, default: 0] += 1
    let (suppressed, shouldLog) = limitLog.shouldLog(reason, now: .now())
    guard shouldLog else { return }
    let logger = reason.concernsEvents ? eventLogger : logger
    logger.warning(
      "\(reason.advice)",
      metadata: ["from": "\(peer.remote)", "at": "\(peer.local)", "before": "\(suppressed)"])
  }
}
