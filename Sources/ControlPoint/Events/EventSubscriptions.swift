import HTTP
import Logging
import NIOCore
import Network
import Synchronization
import UPnP

/// The subscriptions to other devices' services, and the route that their events come in by.
///
/// Runs on one event loop; code that is on this loop already calls it through `assumeIsolated`. It costs nothing until
/// somebody reads changes.
public actor EventSubscriptions {
  /// Sends a request without a body, within a time, and returns the answer.
  package typealias Exchange =
    @Sendable (SubscriptionCall, ServiceAddress, TimeAmount) async throws(ActionFailure) -> (
      status: Int, fields: HeaderFields
    )

  let eventLoop: any EventLoop
  private nonisolated let executor: any SerialExecutor
  let limits: SubscriptionLimits
  let logger: Logger
  private let exchange: Exchange
  /// By the token in the path of their events.
  var followed: [String: FollowedService] = [:]
  var tokens: [ServiceKey: String] = [:]
  private var tokensOfReaders: [ObjectIdentifier: String] = [:]
  var interfaces: [NetworkInterface] = []
  var listening: HTTPServer.Listening?
  /// The one timer of all machines.
  private var timer: (deadline: NIODeadline, task: Scheduled<Void>)?
  private var isStopped = false
  /// In an existential, since what has no size has no address, and ThreadSanitizer looks at it.
  private var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
  /// Requests on their way.
  var requests: [Int: Task<Void, Never>] = [:]
  var lastRequest = 0
  /// Senders whose events were refused.
  var refusedSenders: Set<IPAddress> = []
  /// Readers that are coming.
  private var joining = 0
  nonisolated let attendance = Mutex<Attendance?>(nil)

  /// What is to be done while somebody reads changes.
  struct Attendance: Sendable {
    /// Returns when events can be received.
    var begin: @Sendable () async -> Void
    var end: @Sendable () -> Void
  }

  struct ServiceKey: Hashable {
    var udn: String
    var id: String

    init(_ location: ServiceLocation) {
      udn = location.udn.lowercased()
      id = location.id
    }
  }

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  package init(
    eventLoop: any EventLoop, limits: SubscriptionLimits = SubscriptionLimits(), logger: Logger,
    exchange: @escaping Exchange
  ) {
    self.eventLoop = eventLoop
    executor = eventLoop.executor
    self.limits = limits
    self.logger = logger
    self.exchange = exchange
  }

  // MARK: - For whoever finds devices

  /// Sets where the server listens that has this as one of its responders.
  package func setListening(_ listening: HTTPServer.Listening) { self.listening = listening }

  /// Sets the current interfaces, with all their addresses.
  package func setInterfaces(_ interfaces: [NetworkInterface]) {
    self.interfaces = interfaces
    for token in followed.keys { checkPath(token) }
  }

  /// Ends all readers and subscriptions; takes no longer than one UNSUBSCRIBE may.
  public func stop() async {
    isStopped = true
    for token in followed.keys {
      guard var service = followed[token] else { continue }
      for request in service.machine.end(.stopped, isReachable: true).requests {
        send(request, of: service, token)
      }
      service.end(.stopped)
    }
    followed = [:]
    tokens = [:]
    tokensOfReaders = [:]
    armTimer()
    await finishRequests()
  }

  // MARK: - Readers

  /// The changes of a service's variables; the service isn't asked for them until somebody reads.
  public nonisolated func changes(of service: ServiceLocation) -> ChangeSequence {
    ChangeSequence(subscriptions: self, location: service)
  }

  func join(_ location: ServiceLocation) async -> ChangeInbox {
    joining += 1
    if !isStopped, location.events != nil { await attendance.withLock(\.self)?.begin() }
    joining -= 1
    defer { checkAttendance() }
    return add(location)
  }

  private func checkAttendance() {
    if followed.isEmpty, joining == 0 { attendance.withLock(\.self)?.end() }
  }

  private func add(_ location: ServiceLocation) -> ChangeInbox {
    let inbox = ChangeInbox()
    func refused(_ reason: ChangesEnd) -> ChangeInbox {
      inbox.end(reason)
      return inbox
    }
    guard !isStopped else { return refused(.stopped) }
    guard location.events != nil else { return refused(.noEvents) }
    let key = ServiceKey(location)
    let token: String
    if let known = tokens[key] {
      token = known
      guard followed[token]?.readers.count ?? 0 < limits.readers else { return refused(.tooMany) }
      if followed[token]?.location != location { deviceMoved([location]) }
    } else {
      guard followed.count < limits.services else { return refused(.tooMany) }
      token = Self.makeToken()
      tokens[key] = token
      followed[token] = FollowedService(
        location: location, machine: EventSubscription(limits: limits), path: path(to: location))
    }
    followed[token]?.add(inbox)
    tokensOfReaders[ObjectIdentifier(inbox)] = token
    step(token) { $0.readerCame(now: $1) }
    return inbox
  }

  nonisolated func leave(_ inbox: ChangeInbox) {
    eventLoop.execute { self.assumeIsolated { $0.left(inbox) } }
  }

  private func left(_ inbox: ChangeInbox) {
    guard let token = tokensOfReaders.removeValue(forKey: ObjectIdentifier(inbox)),
      followed[token]?.remove(inbox) == true
    else { return }
    step(token) { $0.readerLeft(now: $1) }
  }

  /// 128 bits that can't be guessed: whoever knows them may send events.
  private static func makeToken() -> String {
    var generator = SystemRandomNumberGenerator()
    let halves = [generator.next(), generator.next()] as [UInt64]
    return halves.map { String($0, radix: 36) }.joined(separator: "-")
  }

  // MARK: - The machines

  /// Takes one step of a machine, and carries out what follows from it.
  @discardableResult
  func step(_ token: String, _ change: (inout EventSubscription, NIODeadline) -> EventSubscription.Effects)
    -> Bool
  {
    guard let effects = withMachine(token, change) else { return false }
    guard let service = followed[token] else { return false }
    if let reason = effects.ending {
      for reader in service.readers.keys { tokensOfReaders[reader] = nil }
      followed[token]?.end(reason)
    }
    for request in effects.requests { send(request, of: service, token) }
    if followed[token]?.machine.isOver == true {
      followed[token] = nil
      tokens[ServiceKey(service.location)] = nil
      checkAttendance()
    }
    armTimer()
    return true
  }

  private func withMachine(
    _ token: String, _ change: (inout EventSubscription, NIODeadline) -> EventSubscription.Effects
  ) -> EventSubscription.Effects? {
    guard let index = followed.index(forKey: token) else { return nil }
    let effects = change(&followed.values[index].machine, .now())
    for change in effects.changes { followed.values[index].put(change) }
    return effects
  }

  private func send(_ request: EventSubscription.Request, of service: FollowedService, _ token: String) {
    guard let events = service.location.events else { return }
    let (exchange, limits) = (exchange, limits)
    switch request {
    case .unsubscribe(let sid):
      send { _ in _ = try? await exchange(.unsubscribe(sid: sid), events, limits.unsubscribeTime) }
    case .renew(let sid, let number):
      ask(.renew(sid: sid, seconds: limits.seconds), at: events, number, token)
    case .subscribe(let number):
      let call = callback(service, token).map {
        SubscriptionCall.subscribe(callback: $0, seconds: limits.seconds)
      }
      ask(call, at: events, number, token)
    }
  }

  /// Sends a request whose answer matters; nil when there is no way to the device, which is no answer either.
  private func ask(_ call: SubscriptionCall?, at events: ServiceAddress, _ number: Int, _ token: String) {
    let (exchange, time) = (exchange, limits.subscribeTime)
    send { subscriptions in
      var status: Int?
      if let call, let answer = try? await exchange(call, events, time) {
        status = answer.status
        if answer.status == 200 {
          return subscriptions.granted(SubscriptionReply(fields: answer.fields), events, number, token)
        }
      }
      subscriptions.step(token) { $0.failed(number, status: status, now: $1) }
    }
  }

  private func granted(_ reply: SubscriptionReply, _ events: ServiceAddress, _ number: Int, _ token: String) {
    if step(token, { $0.granted(number, reply, now: $1, using: &random) }) { return }
    // All readers are gone, and so is everything about the subscription but this.
    guard let sid = reply.sid else { return }
    let (exchange, time) = (exchange, limits.unsubscribeTime)
    send { _ in _ = try? await exchange(.unsubscribe(sid: sid), events, time) }
  }

  /// Sets the one timer of all machines; none runs while nothing is followed.
  private func armTimer() {
    let next = followed.values.compactMap(\.machine.nextWake).min()
    guard next != timer?.deadline else { return }
    timer?.task.cancel()
    timer = next.map { deadline in
      let task = eventLoop.scheduleTask(deadline: deadline) { [weak self] () -> Void in
        self?.assumeIsolated { $0.tick() }
      }
      return (deadline, task)
    }
  }

  private func tick() {
    timer = nil
    let now = NIODeadline.now()
    for (token, service) in followed where service.machine.nextWake ?? .distantFuture <= now {
      step(token) { $0.tick(now: $1) }
    }
    armTimer()
  }

  /// True when nothing runs.
  var isIdle: Bool { followed.isEmpty && joining == 0 && !hasTimer && requests.isEmpty }
  var hasTimer: Bool { timer != nil }
}
