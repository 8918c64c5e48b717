import Foundation
import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// An event loop whose thread lives in a network namespace of its own: nothing but a loopback that is down.
///
/// Every socket that is made on the loop belongs to that namespace, which ends with the thread.
///
/// Only for exit tests. A thread begins in the namespace of the thread that starts it, and a loop that resumes a task may
/// start one of Dispatch's or NIO's: in a process with other tests, these would then look for their loopback in vain.
final class PrivateNetwork: Sendable {
  struct Refused: Error {}
  /// This process runs other tests too.
  struct SharedProcess: Error {}

  let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  var eventLoop: any EventLoop { group.next() }

  init() async throws {
    guard Self.isExitTest else { throw SharedProcess() }
    guard try await group.next().submit({ Self.unshareNetwork() }).get() else {
      try await group.shutdownGracefully()
      throw Refused()
    }
  }

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

  /// An exit test's process is the child of one of the same program.
  private static var isExitTest: Bool {
    let programs = ["self", "\(getppid())"].map {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/exe")
    }
    return programs[0] != nil && programs[0] == programs[1]
  }

  private static func unshareNetwork() -> Bool {
    typealias Unshare = @convention(c) (CInt) -> CInt
    guard let symbol = dlsym(nil, "unshare") else { return false }
    let newNetwork: CInt = 0x4000_0000
    return unsafeBitCast(symbol, to: Unshare.self)(newNetwork) == 0
  }

  func setLoopback(up: Bool) async throws {
    try await group.next().submit {
      let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
      defer { Glibc.close(descriptor) }
      // struct ifreq: the name in 16 bytes, then the flags.
      var request = Array("lo".utf8) + Array(repeating: UInt8(0), count: 38)
      request[16] = up ? 1 : 0
      let setFlags: UInt = 0x8914
      guard ioctl(descriptor, setFlags, &request) == 0 else {
        throw IOError(errnoCode: errno, reason: "SIOCSIFFLAGS")
      }
    }.get()
  }

  func close() async throws { try await group.shutdownGracefully() }
}
