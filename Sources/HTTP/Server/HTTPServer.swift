import Logging
import NIOCore
import Network
import Synchronization

/// An HTTP server: accepts connections, reads requests, has them answered by its responders, and keeps the limits.
///
/// Runs on one event loop; code that is on this loop already calls it through `assumeIsolated`.
public actor HTTPServer {
  nonisolated let eventLoop: any EventLoop
  private nonisolated let executor: any SerialExecutor
  let configuration: HTTPConfiguration
  let logger: Logger
  package var access: AccessPolicy {
    didSet { acceptedHost = nil }
  }
  /// The last Host header that was accepted.
  var acceptedHost: String?
  var responders: [any Responder] = []
  var connections: ConnectionTable
  var channels: [Int: (channel: any Channel, peer: Peer)] = [:]
  /// Builds the answers that are too long for one turn of the event loop.
  var longAnswers = SteppedResponses()
  /// Requests that wait for a later turn of the event loop.
  var requestTurns = RequestTurns()
  /// True when long answers or waiting requests continue in the next turn.
  var isTurnScheduled = false
  /// True after unfinished requests took so much memory that it is worth returning it to the system.
  var tookMuchMemory = false
  /// Requests answered, with any status.
  public internal(set) var requestCount = 0
  /// Refusals by reason.
  public private(set) var refusals: [RefusalReason: Int] = [:]
  private var listeners: [any Channel] = []
  /// Where it listens if it does so at its own addresses only.
  var ownListeners = AddressListeners()
  var ownChannels: [IPAddress: any Channel] = [:]
  var ownAlarm = Alarm()
  var listeningObserver: (@Sendable (ListeningChange) -> Void)?
  // Behind a lock, which costs each response less than a check of the executor.
  private nonisolated let stamp: Mutex<CommonHeaders>
  private var limitLog = LimitLog<RefusalReason>()
  private(set) var isStopped = false

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Makes a server, which listens after ``start(_:)``.
  ///
  /// - Parameter eventLoop: a loop of NIOPosix; everything runs on it.
  public init(eventLoop: any EventLoop, configuration: HTTPConfiguration, logger: Logger) {
    self.eventLoop = eventLoop
    executor = eventLoop.executor
    self.configuration = configuration
    self.logger = logger
    access = AccessPolicy(allow: configuration.allow, hostnames: configuration.hostnames)
    connections = ConnectionTable(limits: configuration.limits)
    stamp = Mutex(CommonHeaders(configuration.fields))
  }

  /// Connections that are open now.
  public var connectionCount: Int { connections.count }

  // MARK: - Life

  /// Where a server listens.
  public struct Listening: Sendable, Hashable {
    /// The port, the same for IPv4 and IPv6.
    public var port: Int
    /// False when IPv6 is off, or its port can't be opened; no IPv6 address may be announced then.
    public var ipv6: Bool

    package init(port: Int, ipv6: Bool) {
      self.port = port
      self.ipv6 = ipv6
    }
  }

  /// Starts to listen and returns the port. If IPv6 fails, only IPv4 is served.
  ///
  /// At its own addresses (``HTTPConfiguration/atOwnAddresses``) it listens once it has been told the interfaces.
  ///
  /// - Parameter responders: asked in this order who serves a path.
  /// - Throws: the system's error when the port can't be opened.
  public func start(_ responders: [any Responder]) async throws -> Listening {
    self.responders = responders
    guard !configuration.atOwnAddresses else { return Listening(port: configuration.port, ipv6: false) }
    let first: any Channel
    do {
      first = try await listen(port: configuration.port, ipv6: false)
    } catch  where ListeningSockets.isTaken(error) && configuration.mayUseAnyPort {
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
    try await ListeningSockets.listen(
      port: port, ipv6: ipv6, on: eventLoop, limits: configuration.limits, server: self
    ).get()
  }

  /// Stops listening, and ends all connections.
  public func shutdown() async {
    isStopped = true
    ownAlarm.cancel()
    let closing = listeners + ownChannels.values + channels.values.map(\.channel)
    (listeners, ownChannels) = ([], [:])
    // It refers to the server, too.
    listeningObserver = nil
    for channel in closing { try? await channel.close().get() }
    // Responders refer to the server, too: break the cycle.
    responders = []
  }

  /// Sets the current interfaces, as chosen by `InterfaceSelection`; with none, only this machine is served.
  public func setInterfaces(_ interfaces: [NetworkInterface]) {
    access.interfaces = interfaces
    listenAtOwnAddresses()
  }

  /// Replaces the networks whose hosts may connect, and this host's additional names; open connections stay.
  public func setAccess(allow: [IPNetwork], hostnames: [String]) {
    let interfaces = access.interfaces
    access = AccessPolicy(allow: allow, hostnames: hostnames)
    access.interfaces = interfaces
  }

  // MARK: - Shared by all responses and refusals

  nonisolated func stampLines() -> [UInt8] { stamp.withLock { $0.current() } }

  /// Counts a refusal and logs it, at most once a minute per reason.
  ///
  /// - Parameter logger: nil for the server's own.
  package func note(_ reason: RefusalReason, _ peer: Peer, logger: Logger? = nil) {
    refusals[reason, default: 0] += 1
    let (suppressed, shouldLog) = limitLog.shouldLog(reason, now: .now())
    guard shouldLog else { return }
    (logger ?? self.logger).warning(
      "\(reason.advice)",
      metadata: ["from": "\(peer.remote)", "at": "\(peer.local)", "before": "\(suppressed)"])
  }
}
