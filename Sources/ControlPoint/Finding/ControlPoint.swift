import Logging
import NIOCore
import Network
import UPnP

/// Finds devices of other hosts, and of this one, and follows them.
///
/// Runs on the event loop that it was made with. It has no socket and no timer until somebody reads ``devices(_:)``, and none
/// after the last reader has left.
public actor ControlPoint {
  /// Gets a document: throws unless the status is 200, or for more bytes than the limit.
  typealias Fetch =
    @Sendable (_ address: ServiceAddress, _ limit: Int, _ deadline: Duration) async throws(ActionFailure) ->
    ByteBuffer

  /// How long a device may take to give its description.
  static let descriptionTime = Duration.seconds(5)
  /// Delay before sockets that failed to open are tried again.
  static let retryTime = TimeAmount.seconds(5)

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private nonisolated let executor: any SerialExecutor
  private nonisolated let eventLoop: any EventLoop
  private let configuration: ControlPointConfiguration
  private let fetch: Fetch
  private let logger: Logger

  private let monitor: NetworkMonitor
  private var isMonitoring = false
  private var interfaces: [NetworkInterface] = []
  private var sockets: SearchSockets?
  private var plan = SearchPlan()
  private var table: DeviceTable
  private var readers: [Int: DeviceReader] = [:]
  private var lastReader = 0
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var timer: (deadline: NIODeadline, task: Scheduled<Void>)?
  private var retry: Scheduled<Void>?
  private var reported: Set<String> = []

  /// Makes a control point that does nothing yet.
  ///
  /// - Parameters:
  ///   - eventLoop: a loop of NIOPosix; everything runs on it.
  ///   - exchange: gets the descriptions.
  public init(
    eventLoop: any EventLoop, exchange: HTTPExchange,
    configuration: ControlPointConfiguration = ControlPointConfiguration(), logger: Logger
  ) {
    self.init(eventLoop: eventLoop, configuration: configuration, logger: logger) {
      (address, limit, deadline) async throws(ActionFailure) in
      let response = try await exchange.exchange(
        ExchangeRequest("GET"), to: address, deadline: deadline, limit: limit)
      guard response.status == 200 else { throw .status(response.status) }
      return response.body
    }
  }

  init(
    eventLoop: any EventLoop, configuration: ControlPointConfiguration, logger: Logger, fetch: @escaping Fetch
  ) {
    self.eventLoop = eventLoop
    executor = eventLoop.executor
    self.configuration = configuration
    self.logger = logger
    self.fetch = fetch
    var limits = DeviceTable.Limits()
    limits.devices = max(configuration.maximumDevices, 1)
    limits.ages = configuration.ages
    table = DeviceTable(limits: limits)
    monitor = NetworkMonitor(eventLoop: eventLoop, logger: logger)
  }

  // MARK: Readers

  /// Looks for devices, and tells what becomes of them: first those that are known already, as appeared.
  ///
  /// A reader that is slow gets several changes of one device as one. The search ends when the last of the streams is dropped
  /// or its task cancelled.
  public func devices(_ kinds: Set<DeviceKind>) -> AsyncStream<DeviceChange> {
    lastReader += 1
    let id = lastReader
    var reader = DeviceReader(kinds: kinds)
    for device in table.devices where kinds.contains(where: { $0.matches(device) }) {
      reader.tell(.appeared(device))
    }
    readers[id] = reader
    let isNew = !kinds.isSubset(of: table.wanted)
    table.want(table.wanted.union(kinds))
    if sockets == nil { start() } else if isNew { plan.begin(now: .now()) }
    proceed()
    let eventLoop = eventLoop
    let lease = ReaderLease(reader.state) { eventLoop.execute { self.assumeIsolated { $0.leave(id) } } }
    return AsyncStream {
      defer { withExtendedLifetime(lease) {} }
      return await self.next(id)
    } onCancel: {
      lease.end()
    }
  }

  /// The devices of some kinds that are known now, with the time at which each was last seen; none while nobody reads
  /// ``devices(_:)``.
  public func known(_ kinds: Set<DeviceKind> = [.any]) -> [FoundDevice] {
    table.devices.filter { device in kinds.contains { $0.matches(device) } }
  }

  /// Searches again, now, if somebody looks.
  public func search() {
    guard sockets != nil else { return }
    plan.begin(now: .now())
    proceed()
  }

  /// Ends all streams.
  public func stop() {
    for id in readers.keys { leave(id) }
  }

  private func next(_ id: Int) async -> DeviceChange? {
    guard readers[id] != nil else { return nil }
    if let change = readers[id]?.next() { return change }
    return await withCheckedContinuation { readers[id]?.wait($0) }
  }

  private func leave(_ id: Int) {
    guard let reader = readers.removeValue(forKey: id) else { return }
    reader.end()
    guard !readers.isEmpty else { return end() }
    table.want(readers.values.reduce(into: []) { $0.formUnion($1.kinds) })
    proceed()
  }

  // MARK: Start and end

  private func start() {
    let eventLoop = eventLoop
    sockets = SearchSockets(ttl: configuration.ttl) { [weak self] socket, source in
      guard let self else { return eventLoop.makeFailedFuture(DiscoveryError.isShutDown) }
      return NoticeHandler.open(socket, controlPoint: self, source: source, eventLoop: eventLoop)
    }
    plan.begin(now: .now())
    reconcile()
  }

  private func end() {
    for task in tasks.values { task.cancel() }
    tasks = [:]
    timer?.task.cancel()
    timer = nil
    retry?.cancel()
    retry = nil
    plan.end()
    table.clear()
    sockets?.closeAll()
    sockets = nil
    guard isMonitoring else { return }
    isMonitoring = false
    interfaces = []
    monitor.assumeIsolated { $0.stop() }
  }

  /// True when nothing runs.
  var isIdle: Bool {
    readers.isEmpty && sockets == nil && timer == nil && retry == nil && tasks.isEmpty && !isMonitoring
  }

  // MARK: The network

  /// Uses these interfaces: all of the host, running or not. Only for a control point that doesn't follow the network itself.
  public func setInterfaces(_ interfaces: [NetworkInterface]) {
    guard !configuration.followsNetwork else { return }
    networkChanged(to: interfaces)
  }

  private func networkChanged(to interfaces: [NetworkInterface]) {
    guard interfaces != self.interfaces else { return }
    self.interfaces = interfaces
    guard sockets != nil else { return }
    reconcile()
  }

  /// Adjusts the sockets to the interfaces.
  private func reconcile() {
    var failures: [String] = []
    if configuration.followsNetwork, !isMonitoring {
      do {
        try monitor.assumeIsolated { monitor in
          try monitor.start { interfaces in self.assumeIsolated { $0.networkChanged(to: interfaces) } }
        }
        isMonitoring = true
      } catch {
        failures.append("follow the network: \(error)")
      }
    }
    let selection = InterfaceSelection(names: configuration.interfaces, ipv6: configuration.ipv6)
    table.setInterfaces(selection.served(of: interfaces), now: .now())
    let before = sockets.map { Set($0.endpoints) } ?? []
    failures +=
      sockets?.update(SSDPEndpoint.endpoints(of: selection.announced(of: interfaces))) ?? []
    if let endpoints = sockets?.endpoints, !before.isSuperset(of: endpoints) { plan.begin(now: .now()) }
    for failure in failures { report("can't \(failure); trying again") }
    if !failures.isEmpty { retryLater() }
    proceed()
  }

  /// Called when the channel of a socket closed unexpectedly.
  func lost(_ source: SearchSockets.Source) {
    guard sockets?.lose(source) == true else { return }
    logger.debug("a socket for searches was lost, opening it again")
    retryLater()
  }

  private func retryLater() {
    guard retry == nil, sockets != nil else { return }
    retry = eventLoop.scheduleTask(in: Self.retryTime) { [weak self] () -> Void in
      self?.assumeIsolated {
        $0.retry = nil
        $0.reconcile()
      }
    }
  }

  /// Logs each warning once.
  private func report(_ text: String) {
    guard reported.count < 100, reported.insert(text).inserted else { return }
    logger.warning("\(text)")
  }

  // MARK: What is heard and done

  func received(_ notice: SSDPNotice, from sender: IPAddress, interface: Int) {
    guard sockets != nil, table.receive(notice, from: sender, interface: interface, now: .now()) else {
      return
    }
    proceed()
  }

  /// Does everything that is due, and sets the timer for the next deadline.
  private func proceed() {
    guard sockets != nil else { return }
    let now = NIODeadline.now()
    if plan.isDue(now: now) { sendSearches() }
    for action in table.due(now: now) {
      switch action {
      case .fetch(let token, let location): tasks[token] = Task { await describe(location, token) }
      case .cancel(let token): tasks.removeValue(forKey: token)?.cancel()
      case .change(let change):
        for id in readers.keys { readers[id]?.tell(change) }
      }
    }
    let next = [plan.nextDeadline, table.nextDeadline].compactMap(\.self).min()
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

  private func sendSearches() {
    guard let sockets else { return }
    let targets = Set(table.wanted.map(\.searchTarget)).sorted()
    for endpoint in sockets.endpoints {
      for target in targets {
        let request = SearchRequest(target: target, mx: min(max(configuration.mx, 1), 5))
        let code = sockets.send(
          request.encoded(host: endpoint.group.host, userAgent: configuration.userAgent), at: endpoint)
        if code != 0 { logger.debug("no search from \(endpoint.address): \(errorText(code))") }
      }
    }
  }

  private func describe(_ location: DeviceLocation, _ token: Int) async {
    var root: RootDescription?
    do {
      let document = try await fetch(location.address, RootDescription.limits.bytes, Self.descriptionTime)
      root = try RootDescription.read(document)
    } catch {
      logger.debug("no description at \(location.url): \(error)")
    }
    guard tasks.removeValue(forKey: token) != nil else { return }
    table.finish(token, root, now: .now())
    proceed()
  }
}
