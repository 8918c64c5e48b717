import Glibc
import NIOCore
import NIOPosix

/// Reports when one of the given files was rewritten or replaced (inotify(7)). Costs nothing while none changes.
///
/// Watches directories rather than files, since editors write a new file and rename it.
actor FileWatcher {
  /// Combines an editor's many steps into one change.
  private static let settlingTime = TimeAmount.milliseconds(300)

  private let eventLoop: any EventLoop
  private let changed: @Sendable () -> Void
  /// Directories by watch descriptor.
  private let directories: [Int32: String]
  private let files: Set<String>
  private var channel: (any Channel)?
  private var isStopped = false
  private var isTelling = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

  /// Creates a watcher; nil when nothing can be watched.
  ///
  /// - Parameters:
  ///   - files: Absolute paths; files in directories that don't exist now are never reported.
  ///   - eventLoop: The event loop on which to run.
  ///   - changed: Called on the event loop.
  init?(_ files: [String], eventLoop: any EventLoop, changed: @escaping @Sendable () -> Void) {
    guard !files.isEmpty else { return nil }
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    var directories: [Int32: String] = [:]
    for directory in Set(files.map(Self.directory)) {
      let watch = inotify_add_watch(
        descriptor, directory.isEmpty ? "/" : directory, UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR))
      if watch >= 0 { directories[watch] = directory }
    }
    guard !directories.isEmpty else {
      close(descriptor)
      return nil
    }
    self.eventLoop = eventLoop
    self.changed = changed
    self.directories = directories
    self.files = Set(files)
    NIOPipeBootstrap(group: eventLoop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Handler(watcher: self))
        }
      }
      .takingOwnershipOfDescriptor(input: descriptor)
      .whenSuccess { channel in self.assumeIsolated { $0.opened(channel) } }
  }

  func stop() {
    isStopped = true
    channel?.close(promise: nil)
    channel = nil
  }

  private func opened(_ channel: any Channel) {
    if isStopped { channel.close(promise: nil) } else { self.channel = channel }
  }

  /// Parses a sequence of `struct inotify_event`; the kernel returns only whole ones.
  fileprivate func read(_ bytes: ByteBuffer) {
    var bytes = bytes
    var isOurs = false
    while let watch = bytes.readInteger(endianness: .host, as: Int32.self),
      let mask = bytes.readInteger(endianness: .host, as: UInt32.self),
      bytes.readInteger(as: UInt32.self) != nil,
      let length = bytes.readInteger(endianness: .host, as: UInt32.self),
      let name = bytes.readBytes(length: Int(length))
    {
      if mask & UInt32(IN_Q_OVERFLOW) != 0 { isOurs = true }
      guard let directory = directories[watch] else { continue }
      isOurs =
        isOurs || files.contains("\(directory)/\(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))")
    }
    if isOurs { tellSoon() }
  }

  private func tellSoon() {
    guard !isTelling else { return }
    isTelling = true
    eventLoop.scheduleTask(in: Self.settlingTime) { self.assumeIsolated { $0.tell() } }
  }

  private func tell() {
    isTelling = false
    if !isStopped { changed() }
  }

  /// The directory of `file` without a slash at the end: empty for a file in `/`.
  private static func directory(of file: String) -> String {
    file.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let watcher: FileWatcher

    init(watcher: FileWatcher) { self.watcher = watcher }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let bytes = unwrapInboundIn(data)
      watcher.assumeIsolated { $0.read(bytes) }
    }
  }
}
