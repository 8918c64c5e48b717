import CLinux
import Glibc
import Logging
import NIOCore
import NIOPosix

/// Reports the network interfaces and addresses of this host, at the start and after every change.
///
/// Runs on the event loop that it was made with, and sleeps until the kernel reports something.
public actor NetworkMonitor {
  /// Changes within this time are reported together, or not at all if everything is as before. After such a short
  /// interruption of the cable nothing needs a new announcement: control points have forgotten nothing, and sockets
  /// keep their group memberships.
  static let settlingTime = TimeAmount.milliseconds(50)
  /// Delay before a retry after the kernel refused a socket or a list.
  static let retryTime = TimeAmount.seconds(2)

  public typealias ChangeHandler = @Sendable ([NetworkInterface]) -> Void

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private nonisolated let executor: any SerialExecutor
  private let eventLoop: any EventLoop
  private let logger: Logger

  private var table = InterfaceTable()
  private var channel: (any Channel)?
  private var onChange: ChangeHandler?
  private var reported: [NetworkInterface]?
  private var timer: Scheduled<Void>?
  private var hasFailed = false

  public init(eventLoop: any EventLoop, logger: Logger) {
    self.eventLoop = eventLoop
    executor = eventLoop.executor
    self.logger = logger
  }

  /// Starts to watch the network.
  ///
  /// `onChange` gets all interfaces of the host, running or not, on the event loop: soon after the start, and after
  /// every change.
  ///
  /// - Throws: `IOError` when the kernel refuses a routing socket.
  public func start(_ onChange: @escaping ChangeHandler) throws {
    guard self.onChange == nil else { return }
    self.onChange = onChange
    do { try open() } catch {
      self.onChange = nil
      throw error
    }
  }

  public func stop() {
    onChange = nil
    timer?.cancel()
    timer = nil
    close()
    reported = nil
  }

  private func open() throws {
    let descriptor = try Self.makeSocket()
    let writing = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard writing >= 0 else {
      let code = errno
      Glibc.close(descriptor)
      throw IOError(errnoCode: code, reason: "fcntl(F_DUPFD_CLOEXEC)")
    }
    let handler = NetlinkHandler(monitor: self)
    let opening: EventLoopFuture<any Channel> = NIOPipeBootstrap(group: eventLoop)
      .channelOption(.maxMessagesPerRead, value: 16)
      // A list arrives in pieces of up to 32 KiB; anything that doesn't fit is lost.
      .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 32 * 1024))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler) }
      }
      .takingOwnershipOfDescriptors(input: descriptor, output: writing)
    // After a failure it is unknown whether the channel has closed the descriptors. Leaking two is better than closing
    // descriptors that may have been reused.
    opening.whenFailure { error in self.assumeIsolated { $0.failed("\(error)") } }
  }

  private func close() {
    // `close` calls back immediately, so clear `channel` first.
    let open = channel
    channel = nil
    open?.close(promise: nil)
  }

  fileprivate func opened(_ channel: any Channel) {
    guard onChange != nil else { return channel.close(promise: nil) }
    self.channel = channel
    send(table.begin())
  }

  private func send(_ request: [UInt8]) {
    channel?.writeAndFlush(ByteBuffer(bytes: request), promise: nil)
  }

  fileprivate func received(_ datagram: ByteBuffer, on channel: any Channel) {
    guard channel === self.channel else { return }
    let step = datagram.withUnsafeReadableBytes { table.apply($0) }
    if let failure = step.failure {
      return failed("the list of interfaces was refused: \(errorText(failure))")
    }
    if let request = step.request { send(request) }
    guard step.isChanged else { return }
    hasFailed = false
    if reported == nil {
      tell()
    } else if timer == nil {
      schedule(Self.settlingTime) { $0.tell() }
    }
  }

  /// Called when the socket is gone, as after an overrun (ENOBUFS): messages were lost, so everything is listed again.
  fileprivate func closed(_ channel: any Channel) {
    guard channel === self.channel else { return }
    self.channel = nil
    logger.debug("messages about the network were lost, listing all interfaces again")
    schedule(Self.settlingTime) { $0.reopen() }
  }

  private func failed(_ why: String) {
    close()
    guard onChange != nil else { return }
    if !hasFailed { logger.error("can't follow the network (\(why)); trying again every few seconds") }
    hasFailed = true
    schedule(Self.retryTime) { $0.reopen() }
  }

  private func reopen() {
    guard onChange != nil, channel == nil else { return }
    do { try open() } catch { failed("\(error)") }
  }

  private func tell() {
    let interfaces = table.interfaces
    guard interfaces != reported, let onChange else { return }
    reported = interfaces
    onChange(interfaces)
  }

  private func schedule(_ delay: TimeAmount, _ action: @escaping @Sendable (isolated NetworkMonitor) -> Void)
  {
    timer?.cancel()
    timer = eventLoop.scheduleTask(in: delay) { [weak self] in
      self?.assumeIsolated {
        $0.timer = nil
        action($0)
      }
    }
  }

  private static func makeSocket() throws -> CInt {
    let descriptor = socket(
      AF_NETLINK, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), NETLINK_ROUTE)
    guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket(AF_NETLINK)") }
    var size: CInt = 256 * 1024
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    address.nl_groups = UInt32(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE)
    let result = withUnsafeBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress, socklen_t(bytes.count)) }
    }
    guard result == 0 else {
      let code = errno
      Glibc.close(descriptor)
      throw IOError(errnoCode: code, reason: "bind(AF_NETLINK)")
    }
    return descriptor
  }
}

private final class NetlinkHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  private let monitor: NetworkMonitor

  init(monitor: NetworkMonitor) { self.monitor = monitor }

  func channelActive(context: ChannelHandlerContext) {
    let channel = context.channel
    monitor.assumeIsolated { $0.opened(channel) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let channel = context.channel
    let datagram = unwrapInboundIn(data)
    monitor.assumeIsolated { $0.received(datagram, on: channel) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    let channel = context.channel
    monitor.assumeIsolated { $0.closed(channel) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
