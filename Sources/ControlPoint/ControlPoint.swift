import HTTP
import Logging
import NIOCore
import NIOPosix
import Network
import UPnP

/// Finds devices of other hosts, and of this one, follows them, and reaches their services.
///
/// Runs on the event loop that it was made with. It has no socket and no timer until somebody reads ``devices(_:)`` or the
/// changes of a service, and none after the last reader has left.
public actor ControlPoint {
  /// Gets a document: throws unless the status is 200, or for more bytes than the limit.
  typealias Fetch =
    @Sendable (_ address: ServiceAddress, _ limit: Int, _ deadline: Duration) async throws(ActionFailure) ->
    ByteBuffer

  /// How long a device may take to give its description.
  static let descriptionTime = Duration.seconds(5)
  /// How long the system may take to say which interfaces there are; then it goes on without them.
  static let interfacesTime = TimeAmount.seconds(2)
  /// Delay before sockets that failed to open are tried again.
  static let retryTime = TimeAmount.seconds(5)

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private nonisolated let executor: any SerialExecutor
  nonisolated let eventLoop: any EventLoop
  let configuration: ControlPointConfiguration
  let logger: Logger
  /// Sends every request to a device.
  public nonisolated let exchange: HTTPExchange
  /// Takes the devices' events. It is a responder for a host that has an HTTP server already; otherwise a server of the
  /// control point's own has it while somebody reads changes.
  public nonisolated let subscriptions: EventSubscriptions
  let fetch: Fetch

  // The network.
  let monitor: NetworkMonitor
  var isMonitoring = false
  /// All of the host, running or not; none while nobody needs them.
  package internal(set) var interfaces: [NetworkInterface] = []
  var knowsInterfaces = false
  var waitingForInterfaces: [Int: CheckedContinuation<Void, Never>] = [:]
  var lastWaiting = 0
  /// Those who need the interfaces for the moment.
  var visitors = 0

  // Finding devices.
  var sockets: SearchSockets?
  var plan = SearchPlan()
  /// The addresses that the last search was sent from, each with the error number of what couldn't be sent, or 0.
  package internal(set) var searched: [IPAddress: CInt] = [:]
  var table: DeviceTable
  var readers: [Int: DeviceReader] = [:]
  private var lastReader = 0
  var tasks: [Int: Task<Void, Never>] = [:]
  var timer: (deadline: NIODeadline, task: Scheduled<Void>)?
  var retry: Scheduled<Void>?
  private var reported: Set<String> = []

  // Events.
  var receiving: (generation: Int, task: Task<Void, Never>)?
  /// How often receiving has begun.
  var receivingCount = 0
  var server: HTTPServer?

  /// Makes a control point that does nothing yet.
  ///
  /// - Parameters:
  ///   - eventLoop: a loop of NIOPosix; everything runs on it.
  ///   - exchange: sends the requests, on the same loop; nil for one of its own.
  public init(
    eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next(), exchange: HTTPExchange? = nil,
    configuration: ControlPointConfiguration = ControlPointConfiguration(),
    logger: Logger = Logger(label: "control-point")
  ) {
    let exchange = exchange ?? HTTPExchange(eventLoop: eventLoop, userAgent: configuration.userAgent)
    self.init(eventLoop: eventLoop, exchange: exchange, configuration: configuration, logger: logger) {
      (address, limit, deadline) async throws(ActionFailure) in
      let response = try await exchange.exchange(
        ExchangeRequest("GET"), to: address, deadline: deadline, limit: limit)
      guard response.status == 200 else { throw .status(response.status) }
      return response.body
    }
  }

  init(
    eventLoop: any EventLoop, exchange: HTTPExchange, configuration: ControlPointConfiguration,
    logger: Logger, fetch: @escaping Fetch
  ) {
    self.eventLoop = eventLoop
    executor = eventLoop.executor
    self.configuration = configuration
    self.logger = logger
    self.exchange = exchange
    self.fetch = fetch
    var limits = DeviceTable.Limits()
    limits.devices = max(configuration.maximumDevices, 1)
    limits.ages = configuration.ages
    table = DeviceTable(limits: limits)
    monitor = NetworkMonitor(eventLoop: eventLoop, logger: logger)
    var subscriptionLimits = SubscriptionLimits()
    subscriptionLimits.seconds = configuration.eventSeconds
    subscriptions = EventSubscriptions(exchange: exchange, limits: subscriptionLimits, logger: logger)
    let attendance = EventSubscriptions.Attendance(
      begin: { [weak self] in await self?.startReceiving() },
      end: { [weak self] in self?.assumeIsolated { $0.stopReceiving() } })
    subscriptions.attendance.withLock { $0 = attendance }
  }

  // MARK: Devices

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
    if sockets == nil { startFinding() } else if isNew { beginSearch() }
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
    beginSearch()
    proceed()
  }

  // MARK: Services

  /// The way to a service. The generated proxies are made of it: `Volume4.Proxy(device, through: controlPoint)`.
  public nonisolated func service(_ location: ServiceLocation) -> RemoteService {
    RemoteService(location, through: exchange, subscriptions: subscriptions)
  }

  // MARK: End

  /// Ends all streams and all subscriptions; takes a moment, and three seconds at most where a device doesn't answer.
  public func stop() async {
    for id in readers.keys { leave(id) }
    await subscriptions.stop()
    stopReceiving()
    await exchange.closeKept()
  }

  private func next(_ id: Int) async -> DeviceChange? {
    guard readers[id] != nil else { return nil }
    if let change = readers[id]?.next() { return change }
    return await withCheckedContinuation { readers[id]?.wait($0) }
  }

  private func leave(_ id: Int) {
    guard let reader = readers.removeValue(forKey: id) else { return }
    reader.end()
    guard !readers.isEmpty else { return endFinding() }
    table.want(readers.values.reduce(into: []) { $0.formUnion($1.kinds) })
    proceed()
  }

  /// True when nothing runs.
  var isIdle: Bool {
    readers.isEmpty && sockets == nil && timer == nil && retry == nil && tasks.isEmpty && !isMonitoring
      && receiving == nil && server == nil && subscriptions.assumeIsolated { $0.isIdle }
  }

  /// Logs each warning once.
  func report(_ text: String) {
    guard reported.count < 100, reported.insert(text).inserted else { return }
    logger.warning("\(text)")
  }
}
