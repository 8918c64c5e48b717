import Foundation
import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Two hosts, each an event loop whose thread lives in a network namespace of its own, and cables between them.
///
/// Every socket that is made on a loop belongs to its namespace, which ends with the thread.
///
/// Only for exit tests. A thread begins in the namespace of the thread that starts it, and a loop that resumes a task may
/// start one of Dispatch's or NIO's: in a process with other tests, these would then look for their loopback in vain.
final class PrivateHosts: Sendable {
  struct Refused: Error {}
  /// This process runs other tests too.
  struct SharedProcess: Error {}

  private let groups = [0, 1].map { _ in MultiThreadedEventLoopGroup(numberOfThreads: 1) }
  var ours: any EventLoop { groups[0].next() }
  var theirs: any EventLoop { groups[1].next() }

  /// Whether this process may make namespaces. The thread that tries ends, and starts no other.
  static let isPossible: Bool = {
    let result = Mutex(false)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      result.withLock { $0 = unshareNetwork() }
      done.signal()
    }
    done.wait()
    return result.withLock(\.self)
  }()

  /// Makes two hosts, each with a loopback and nothing else.
  init() async throws {
    guard Self.isExitTest else { throw SharedProcess() }
    for group in groups {
      guard try await group.next().submit({ Self.unshareNetwork() }).get() else { throw Refused() }
      try await run(group.next(), "ip link set lo up")
    }
  }

  /// Lays a cable: `NAME` at both ends, 10.0.N.1 for us and 10.0.N.2 for them.
  func connect(_ name: String, _ number: Int) async throws {
    let theirs = try await theirs.submit { Self.threadID() }.get()
    try await run(ours, "ip link add \(name) type veth peer name \(name) netns \(theirs)")
    for (loop, host) in [(self.ours, 1), (self.theirs, 2)] {
      // Without it, IPv6 addresses can't be used for two seconds.
      try await run(loop, "echo 0 > /proc/sys/net/ipv6/conf/\(name)/accept_dad")
      try await run(loop, "ip addr add 10.0.\(number).\(host)/24 dev \(name)")
      try await run(loop, "ip link set \(name) up")
    }
  }

  /// Runs a command in the namespace of `loop`. (Foundation's `Process` waits for good in a thread of another namespace.)
  func run(_ loop: any EventLoop, _ command: String) async throws {
    try await loop.submit {
      let words = ["/bin/sh", "-c", "PATH=$PATH:/usr/sbin:/sbin; \(command)"]
      var arguments = words.map { strdup($0) } + [nil]
      defer { for argument in arguments { free(argument) } }
      var child: pid_t = 0
      guard posix_spawn(&child, words[0], nil, nil, &arguments, environ) == 0 else { throw Refused() }
      var status: CInt = 0
      while waitpid(child, &status, 0) < 0 { guard errno == EINTR else { throw Refused() } }
      guard status == 0 else { throw Refused() }
    }.get()
  }

  func close() async throws {
    for group in groups { try await group.shutdownGracefully() }
  }

  /// An exit test's process is the child of one of the same program.
  private static var isExitTest: Bool {
    let programs = ["self", "\(getppid())"].map {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/exe")
    }
    return programs[0] != nil && programs[0] == programs[1]
  }

  private static func threadID() -> String {
    let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    return path?.split(separator: "/").last.map(String.init) ?? ""
  }

  private static func unshareNetwork() -> Bool {
    typealias Unshare = @convention(c) (CInt) -> CInt
    guard let symbol = dlsym(nil, "unshare") else { return false }
    let newNetwork: CInt = 0x4000_0000
    return unsafeBitCast(symbol, to: Unshare.self)(newNetwork) == 0
  }
}
