import Glibc
import Logging
import NIOCore
import Network

/// Announces root devices with SSDP and answers searches for them, on the interfaces that it is given.
///
/// It owns the sockets, one timer and the clocks for ``Announcer`` and ``SearchResponder``. Runs on the event loop that
/// it was made with; between announcements, only searches wake it.
package actor Discovery {
  /// Delay before sockets that failed to open are retried; doubled each time, up to the longest.
  static let firstRetryTime = TimeAmount.seconds(2)
  static let longestRetryTime = TimeAmount.seconds(32)

  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private nonisolated let executor: any SerialExecutor
  private let eventLoop: any EventLoop
  private let configuration: DiscoveryConfiguration
  private let logger: Logger

  private var announcer: Announcer
  private var responder: SearchResponder
  private(set) var interfaces: [NetworkInterface] = []
  /// Names by interface index, including interfaces that are just being removed.
  private var names: [Int: String] = [:]
  private var sockets: DiscoverySockets?
  private var random = SystemRandomNumberGenerator()
  private var timer: (deadline: NIODeadline, task: Scheduled<Void>)?
  private var retry: Scheduled<Void>?
  private var retryTime = firstRetryTime
  private var reported: Set<String> = []
  private var isClosed = false
  private var finishing: [CheckedContinuation<Void, Never>] = []

  /// Makes a discovery that is silent until ``start()``.
  ///
  /// - Parameter bootID: higher than any used before, for example seconds since 1970.
  init(
    eventLoop: any EventLoop, configuration: DiscoveryConfiguration, devices: [ServedDevice], bootID: Int,
    logger: Logger
  ) {
    self.eventLoop = eventLoop
    executor = eventLoop.executor
    self.configuration = configuration
    self.logger = logger
    announcer = Announcer(
      advertisements: AdvertisementSet(devices, maxAge: configuration.maxAge), bootID: BootID(bootID),
      maxAge: configuration.maxAge)
    responder = SearchResponder(now: .now())
  }

  /// The current BOOTID; store it, and start with a higher one next time.
  var bootID: Int { announcer.bootID.value }

  /// Starts to announce, immediately on the interfaces already known.
  ///
  /// - Throws: ``DiscoveryError`` after a shutdown.
  func start() throws {
    guard !isClosed else { throw DiscoveryError.isShutDown }
    guard sockets == nil else { return }
    let eventLoop = eventLoop
    // Weak, since Swift 6.2.3 built with its internal checks (as in Debian) crashes on an unowned actor.
    sockets = DiscoverySockets(ttl: configuration.ttl) { [weak self] socket, listener in
      guard let self else { return eventLoop.makeFailedFuture(DiscoveryError.isShutDown) }
      return SearchHandler.open(socket, discovery: self, listener: listener, eventLoop: eventLoop)
    }
    announcer.start(now: .now(), using: &random)
    reconcile()
  }

  /// Announces on exactly these interfaces and addresses, as chosen by ``InterfaceSelection/announced(of:)``.
  func setInterfaces(_ interfaces: [NetworkInterface]) {
    guard interfaces != self.interfaces else { return }
    for interface in interfaces { names[interface.index] = interface.name }
    self.interfaces = interfaces
    reconcile()
    names = names.filter { index, _ in interfaces.contains { $0.index == index } }
  }

  /// Withdraws the current devices and announces `devices`.
  func setDevices(_ devices: [ServedDevice]) {
    responder.cancelAll()
    announcer.setAdvertisements(
      AdvertisementSet(devices, maxAge: configuration.maxAge), now: .now(), wallClock: Self.wallClock,
      using: &random)
    proceed()
  }

  /// Sends byebyes and closes everything; returns after the last byebye, within a fraction of a second.
  func shutdown() async {
    guard !isClosed else { return }
    responder.cancelAll()
    sockets?.closeReceivers()
    retry?.cancel()
    announcer.stop(now: .now())
    proceed()
    guard !isClosed else { return }
    await withCheckedContinuation { finishing.append($0) }
  }

  private static var wallClock: Int { Glibc.time(nil) }

  /// Adjusts sockets and announcements to the interfaces.
  private func reconcile() {
    guard sockets != nil, announcer.isRunning else { return }
    let wanted = SSDPEndpoint.endpoints(of: interfaces).filter { configuration.ipv6 || !$0.address.isIPv6 }
    report(sockets?.update(wanted) ?? [])
    let served = wanted.filter { sockets?.canSend(at: $0) ?? false }
    let before = announcer.endpoints
    announcer.setEndpoints(served, now: .now(), wallClock: Self.wallClock, using: &random)
    responder.cancel { location, index in
      interfaces.contains { $0.index == index && $0.addresses.contains { $0.address == location } }
    }
    for endpoint in served where !before.contains(endpoint) { log("announcing on", endpoint) }
    for endpoint in before where !served.contains(endpoint) { log("no longer announcing on", endpoint) }
    proceed()
  }

  /// Sends everything that is due, and sets the timer for the next deadline.
  private func proceed() {
    let now = NIODeadline.now()
    for output in announcer.due(now: now, using: &random) { send(output) }
    for response in responder.due(now: now) { send(response) }
    if announcer.isFinished { return finish() }
    let next = [announcer.nextDeadline, responder.nextDeadline].compactMap(\.self).min()
    guard next != timer?.deadline else { return }
    timer?.task.cancel()
    timer = next.map { deadline in
      let task = eventLoop.scheduleTask(deadline: deadline) { [weak self] () -> Void in
        self?.assumeIsolated {
          $0.timer = nil
          $0.proceed()
        }
      }
      return (deadline, task)
    }
  }

  private func finish() {
    isClosed = true
    timer?.task.cancel()
    timer = nil
    sockets?.closeAll()
    sockets = nil
    for continuation in finishing { continuation.resume() }
    finishing = []
  }

  private func send(_ output: Announcer.Output) {
    guard let sockets else { return }
    let (endpoint, group) = (output.endpoint, output.endpoint.group)
    var message = output.message
    message.searchPort = sockets.searchPort(of: endpoint.address, interfaceIndex: endpoint.interfaceIndex)
    check(
      sockets.send(
        message.encoded(), from: endpoint.address, interfaceIndex: endpoint.interfaceIndex,
        to: group.address, port: SSDPGroup.port),
      sendingTo: group.host)
  }

  private func send(_ response: SearchResponder.Response) {
    guard let sockets else { return }
    let searcher = response.searcher
    let message = SSDPMessage(
      kind: .response(date: Self.wallClock), advertisement: response.advertisement,
      location: response.location, bootID: bootID,
      searchPort: sockets.searchPort(of: response.location, interfaceIndex: searcher.interfaceIndex))
    check(
      sockets.send(
        message.encoded(), from: response.location, interfaceIndex: searcher.interfaceIndex,
        to: searcher.address, port: searcher.port),
      sendingTo: "\(searcher.address)")
  }

  /// Handles a search received on one of the sockets.
  func received(_ search: ReceivedSearch) {
    guard announcer.isRunning else { return }
    let verdict = responder.receive(
      search.request, from: search.searcher, isUnicast: search.isUnicast,
      advertisements: announcer.advertisements, interfaces: interfaces, now: .now(), using: &random)
    switch verdict {
    case .ignored: return
    case .flooded:
      reportOnce(
        "flood",
        "too many searches, last from \(search.searcher.address): some are not answered; find the program that searches"
      )
    case .answering: proceed()
    }
  }

  /// Called when the channel of a socket closed unexpectedly.
  func lost(_ listener: SearchListener) {
    guard !isClosed, announcer.isRunning, sockets?.lose(listener) == true else { return }
    logger.debug("a discovery socket was lost, opening it again")
    retryLater()
  }

  private func retryLater() {
    guard retry == nil else { return }
    let delay = retryTime
    retryTime = min(.nanoseconds(delay.nanoseconds * 2), Self.longestRetryTime)
    retry = eventLoop.scheduleTask(in: delay) { [weak self] () -> Void in
      self?.assumeIsolated {
        $0.retry = nil
        $0.reconcile()
      }
    }
  }

  private func report(_ failures: [DiscoverySockets.Failure]) {
    for failure in failures {
      reportOnce(failure.what, "can't \(failure.what): \(failure.why); trying again later")
    }
    if failures.isEmpty { retryTime = Self.firstRetryTime } else { retryLater() }
  }

  private func check(_ code: CInt, sendingTo destination: String) {
    switch code {
    case 0: return
    case EADDRNOTAVAIL, ENETDOWN, ENODEV, ENETUNREACH, ENOBUFS, EAGAIN:
      // The network is changing, or a buffer is full; the next copy may get through.
      logger.debug("a datagram to \(destination) was not sent: \(errorText(code))")
    default:
      reportOnce(
        "send \(code)",
        "can't send to \(destination): \(errorText(code)); check this host's firewall and routes")
    }
  }

  /// Logs each warning once, so that a daemon that runs for years doesn't fill the disk with it.
  private func reportOnce(_ key: String, _ text: String) {
    guard reported.count < 100, reported.insert(key).inserted else { return }
    logger.warning("\(text)")
  }

  private func log(_ what: String, _ endpoint: SSDPEndpoint) {
    let name = names[endpoint.interfaceIndex] ?? "\(endpoint.interfaceIndex)"
    logger.info("\(what) \(name) as \(endpoint.address) to \(endpoint.group.host)")
  }
}

public enum DiscoveryError: Error, Sendable, Hashable {
  case isShutDown
}
