import Glibc
import HTTP
import NIOCore
import NIOPosix
import Network
import Synchronization

/// Serves local files to one renderer, and to nobody else, until it is stopped.
///
/// It listens at the one address that the renderer reaches. Each file has a path that can't be guessed.
final class FileServer: Sendable {
  /// Connections at the same time; a renderer that seeks may leave some behind.
  static let maximumConnections = 16

  private let channel: any Channel
  private let table: FileTable
  /// `http://192.0.2.5:41234`
  let base: String

  private init(channel: any Channel, table: FileTable, base: String) {
    self.channel = channel
    self.table = table
    self.base = base
  }

  /// Starts to serve `files`, which it closes at its end.
  ///
  /// - Parameters:
  ///   - renderer: the renderer's addresses, the only ones that are answered; the first is the one to be reachable for.
  ///   - interface: the index of the interface that leads there, for a link-local address.
  /// - Throws: the system's error when no way leads to the renderer, or no port can be opened.
  static func start(
    _ files: [ServedFile], to renderer: [IPAddress], interface: Int? = nil, on eventLoop: any EventLoop
  ) async throws -> FileServer {
    guard let first = renderer.first else { throw IOError(errnoCode: EHOSTUNREACH, reason: "no address") }
    let own = try OwnAddress.reaching(first, interface: interface)
    let table = FileTable(files, renderer: renderer)
    let bootstrap = ServerBootstrap(group: eventLoop)
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(.writeBufferWaterMark, value: .init(low: 64 * 1024, high: 256 * 1024))
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(FileConnection(table))
        }
      }
    let channel = try await bootstrap.bind(to: own.socketAddress(port: 0, interfaceIndex: interface)).get()
    let port = channel.localAddress?.port ?? 0
    return FileServer(channel: channel, table: table, base: "http://\(own.urlHost):\(port)")
  }

  /// The address of a file; nil for one that isn't served.
  func address(of file: ServedFile) -> String? {
    table.paths.first { $0.value == file }.map { base + $0.key }
  }

  /// True for the address of a file of this server.
  func isOwn(_ address: String) -> Bool { address.hasPrefix(base + "/") }

  /// True when something of a file has been sent.
  var isRead: Bool { table.isRead.load(ordering: .relaxed) }

  /// Ends all connections, and closes the files.
  func stop() async {
    try? await channel.close().get()
    await table.stop(on: channel.eventLoop)
  }
}

/// What is served to whom; and the connections, on the event loop.
final class FileTable: Sendable {
  let paths: [String: ServedFile]
  /// Something of a file has been sent.
  let isRead = Atomic(false)
  private let renderer: [IPAddress]
  private let connections = Mutex<[ObjectIdentifier: any Channel]>([:])

  init(_ files: [ServedFile], renderer: [IPAddress]) {
    var paths: [String: ServedFile] = [:]
    for file in files { paths["/\(Self.token())\(file.ending)"] = file }
    self.paths = paths
    self.renderer = renderer
  }

  private static func token() -> String {
    var random = SystemRandomNumberGenerator()
    return String(random.next(), radix: 36) + String(random.next(), radix: 36)
  }

  /// True for the renderer itself.
  func answers(_ peer: IPAddress) -> Bool { renderer.lazy.map(\.unmapped).contains(peer.unmapped) }

  /// Takes a connection; false for one too many.
  func add(_ channel: any Channel) -> Bool {
    connections.withLock {
      guard $0.count < FileServer.maximumConnections else { return false }
      $0[ObjectIdentifier(channel)] = channel
      return true
    }
  }

  func remove(_ channel: any Channel) {
    connections.withLock { $0[ObjectIdentifier(channel)] = nil }
  }

  func stop(on eventLoop: any EventLoop) async {
    for channel in connections.withLock({ Array($0.values) }) { try? await channel.close().get() }
    // The last reads have ended by then.
    try? await eventLoop.submit { [paths] in for file in paths.values { file.close() } }.get()
  }
}

/// The address of ours that another host is reached from.
enum OwnAddress {
  /// Asks the kernel's routing table; nothing is sent.
  static func reaching(_ address: IPAddress, interface: Int?) throws -> IPAddress {
    let descriptor = socket(
      address.isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
    defer { close(descriptor) }
    let target = address.socketAddress(port: 9, interfaceIndex: interface)
    guard target.withSockAddr({ connect(descriptor, $0, socklen_t($1)) }) == 0 else {
      throw IOError(errnoCode: errno, reason: "no way to \(address)")
    }
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = withUnsafeMutableBytes(of: &storage) {
      $0.withMemoryRebound(to: sockaddr.self) { pointer in
        pointer.baseAddress.map { getsockname(descriptor, $0, &length) } ?? -1
      }
    }
    guard code == 0, let own = IPAddress(storage) else {
      throw IOError(errnoCode: errno, reason: "no way to \(address)")
    }
    return own
  }
}

extension IPAddress {
  /// The address in a socket address of the kernel.
  init?(_ storage: sockaddr_storage) {
    let address: SocketAddress? = withUnsafeBytes(of: storage) { bytes in
      switch Int32(storage.ss_family) {
      case AF_INET: SocketAddress(bytes.loadUnaligned(as: sockaddr_in.self))
      case AF_INET6: SocketAddress(bytes.loadUnaligned(as: sockaddr_in6.self))
      default: nil
      }
    }
    guard let address else { return nil }
    self.init(address)
  }
}
