import ControlPoint
import NIOCore
import NIOPosix
import Network
import Synchronization

/// A server on 127.0.0.1 that answers each request with what a test says.
final class ScriptedServer: Sendable {
  enum Step: Sendable {
    case send(String)
    case bytes([UInt8])
    case pause(milliseconds: Int64)
    case close
    /// The connection is reset.
    case reset
  }

  struct Request: Sendable {
    /// Counted from 0, over all connections.
    var number: Int
    var connection: Int
    var head: String
    var body: String
  }

  /// What is done at each request.
  struct Script: Sendable {
    var steps: @Sendable (Request) -> [Step]

    static func script(_ steps: @escaping @Sendable (Request) -> [Step]) -> Script { Script(steps: steps) }
  }

  private struct Log {
    var requests: [Request] = []
    var connections = 0
    var open = 0
  }

  private let log = Mutex(Log())
  private let channel: any Channel
  let port: Int

  var requests: [Request] { log.withLock { $0.requests } }
  var connections: Int { log.withLock { $0.connections } }
  /// Connections that are open now.
  var open: Int { log.withLock { $0.open } }

  var loop: any EventLoop { channel.eventLoop }

  private init(channel: any Channel, port: Int) {
    self.channel = channel
    self.port = port
  }

  static func start(on loop: any EventLoop, _ script: Script) async throws -> ScriptedServer {
    let box = Mutex<ScriptedServer?>(nil)
    let shared = Box(box)
    let channel = try await ServerBootstrap(group: loop)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Handler(shared, script))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let server = ScriptedServer(channel: channel, port: channel.localAddress?.port ?? 0)
    shared.server.withLock { $0 = server }
    return server
  }

  /// Looks again and again until `condition` holds, ten seconds at most.
  static func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<500 where !condition() { try? await Task.sleep(for: .milliseconds(20)) }
    return condition()
  }

  func stop() async { try? await channel.close() }

  func address(_ target: String = "/control") -> ServiceAddress {
    ServiceAddress(address: .v4(0x7f00_0001), port: port, target: target)
  }

  private final class Box: Sendable {
    let server: Mutex<ScriptedServer?>
    init(_ server: consuming Mutex<ScriptedServer?>) { self.server = server }
    var log: ScriptedServer? { server.withLock { $0 } }
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let box: Box
    private let script: Script
    private var pending = ""
    private var connection = 0

    init(_ box: Box, _ script: Script) {
      self.box = box
      self.script = script
    }

    func channelActive(context: ChannelHandlerContext) {
      connection =
        box.log?.log.withLock {
          $0.connections += 1
          $0.open += 1
          return $0.connections
        } ?? 0
    }

    func channelInactive(context: ChannelHandlerContext) { box.log?.log.withLock { $0.open -= 1 } }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      pending += String(buffer: unwrapInboundIn(data))
      guard let end = pending.firstRange(of: "\r\n\r\n") else { return }
      let head = String(pending[..<end.lowerBound])
      let length = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
        .flatMap { Int($0.dropFirst(15).filter(\.isNumber)) }
      let body = String(pending[end.upperBound...])
      guard body.utf8.count >= length ?? 0 else { return }
      pending = ""
      let request = box.log?.log.withLock {
        let request = Request(
          number: $0.requests.count, connection: connection, head: head, body: body)
        $0.requests.append(request)
        return request
      }
      guard let request else { return }
      run(script.steps(request)[...], context)
    }

    private func run(_ steps: ArraySlice<Step>, _ context: ChannelHandlerContext) {
      guard let step = steps.first else { return }
      let rest = steps.dropFirst()
      switch step {
      case .send(let text):
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        run(rest, context)
      case .bytes(let bytes):
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        run(rest, context)
      case .pause(let milliseconds):
        let onLoop = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) {
          let (handler, context) = onLoop.value
          if context.channel.isActive { handler.run(rest, context) }
        }
      case .close: context.close(promise: nil)
      case .reset:
        if let channel = context.channel as? any SocketOptionProvider {
          _ = channel.setSoLinger(.init(l_onoff: 1, l_linger: 0))
        }
        context.close(promise: nil)
      }
    }
  }
}

/// An exchange and a scripted server, for the time of a test.
func withServer(
  limits: ExchangeLimits = ExchangeLimits(), _ script: ScriptedServer.Script,
  _ body: (HTTPExchange, ScriptedServer) async throws -> Void
) async throws {
  let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
  let server = try await ScriptedServer.start(on: group.next(), script)
  let exchange = HTTPExchange(eventLoop: group.next(), userAgent: "Linux UPnP/1.1 test/1", limits: limits)
  let result: Result<Void, any Error>
  do { result = .success(try await body(exchange, server)) } catch { result = .failure(error) }
  await exchange.closeKept()
  await server.stop()
  try await group.shutdownGracefully()
  try result.get()
}
