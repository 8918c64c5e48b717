import CCurl
import Glibc
import NIOCore
import Network
import Synchronization
import Threads

/// Gets pictures over TLS with libcurl, on threads of their own that start with the first one.
final class SecureFetcher: Sendable {
  private let threads = (1...PictureDesk.mostRunning).map { JobThread(name: "pictures-\($0)") }
  /// How many jobs each thread has.
  private let jobs = Mutex(Array(repeating: 0, count: PictureDesk.mostRunning))
  /// A file of certificates that are trusted; nil for those of the system.
  private let authorities: String?

  /// - Parameter authorities: for tests.
  init(authorities: String? = nil) { self.authorities = authorities }

  /// Ends a transfer from another thread.
  private final class Stop: Sendable { let isSet = Atomic(false) }

  /// What a transfer has brought so far.
  private struct Transfer {
    var reach: PictureReach
    var limit: Int
    var firstByte: NIODeadline
    let stop: Stop
    var body = ByteBuffer()
    var isTooLarge = false
  }

  func fetch(
    _ fetch: PictureFetcher.Fetch, reach: PictureReach, userAgent: String
  ) async -> PictureFetcher.Fetched {
    let index = jobs.withLock { jobs in
      let index = jobs.indices.min { jobs[$0] < jobs[$1] } ?? 0
      jobs[index] += 1
      return index
    }
    defer { jobs.withLock { $0[index] -= 1 } }
    let stop = Stop()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        threads[index].perform { [authorities] in
          let transfer = Transfer(reach: reach, limit: fetch.limit, firstByte: fetch.firstByte, stop: stop)
          continuation.resume(returning: Self.get(fetch, transfer, userAgent, authorities))
        }
      }
    } onCancel: {
      stop.isSet.store(true, ordering: .relaxed)
    }
  }

  private static func get(
    _ fetch: PictureFetcher.Fetch, _ transfer: Transfer, _ userAgent: String, _ authorities: String?
  ) -> PictureFetcher.Fetched {
    var transfer = transfer
    var location: UnsafeMutablePointer<CChar>?
    let status = withUnsafeMutablePointer(to: &transfer) { transfer in
      let reader = ccurl_reader(
        context: transfer,
        may_connect: { context, bytes, length, port in
          guard let transfer = context?.assumingMemoryBound(to: Transfer.self) else { return 0 }
          let bytes = UnsafeBufferPointer(start: bytes, count: Int(length))
          guard let address = IPAddress(networkBytes: bytes) else { return 0 }
          return transfer.pointee.reach.allows(address, port: Int(port)) ? 1 : 0
        },
        take: { context, bytes, count in
          guard let transfer = context?.assumingMemoryBound(to: Transfer.self) else { return 0 }
          guard transfer.pointee.body.readableBytes + count <= transfer.pointee.limit else {
            transfer.pointee.isTooLarge = true
            return 0
          }
          transfer.pointee.body.writeBytes(UnsafeBufferPointer(start: bytes, count: count))
          return 1
        },
        goes_on: { context in
          guard let transfer = context?.assumingMemoryBound(to: Transfer.self) else { return 0 }
          let isLate = transfer.pointee.body.readableBytes == 0 && .now() > transfer.pointee.firstByte
          return isLate || transfer.pointee.stop.isSet.load(ordering: .relaxed) ? 0 : 1
        })
      return ccurl_get(
        fetch.url.text, userAgent, authorities, left(until: fetch.firstByte), left(until: fetch.deadline),
        reader, &location)
    }
    defer { free(location) }
    if let location { return .redirect(String(cString: location)) }
    if transfer.isTooLarge { return .tooLarge }
    return status == 200 ? .body(transfer.body) : .nothing
  }

  /// In milliseconds; libcurl takes 0 for no limit.
  private static func left(until deadline: NIODeadline) -> Int {
    max(1, Int((deadline - .now()).nanoseconds / 1_000_000))
  }
}
