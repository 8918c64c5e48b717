import CCurl
import Glibc
import NIOCore
import Network
import Synchronization
import Threads

/// Gets pictures over TLS with libcurl, on threads of their own that start with the first one.
final class SecureFetcher: Sendable {
  private let threads = [JobThread(name: "pictures-1"), JobThread(name: "pictures-2")]
  private let turn = Atomic<Int>(0)

  /// What a transfer has brought so far.
  private struct Transfer {
    var reach: PictureReach
    var body = ByteBuffer()
  }

  func fetch(
    _ url: PictureURL, reach: PictureReach, userAgent: String, seconds: Int64
  ) async -> PictureFetcher.Fetched? {
    let thread = threads[turn.wrappingAdd(1, ordering: .relaxed).oldValue % threads.count]
    return await withCheckedContinuation { continuation in
      thread.perform {
        continuation.resume(returning: Self.get(url, reach: reach, userAgent: userAgent, seconds: seconds))
      }
    }
  }

  private static func get(
    _ url: PictureURL, reach: PictureReach, userAgent: String, seconds: Int64
  ) -> PictureFetcher.Fetched? {
    var transfer = Transfer(reach: reach)
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
          guard let transfer = context?.assumingMemoryBound(to: Transfer.self),
            transfer.pointee.body.readableBytes + count <= Picture.largest
          else { return 0 }
          transfer.pointee.body.writeBytes(UnsafeBufferPointer(start: bytes, count: count))
          return 1
        })
      return ccurl_get(url.text, userAgent, Int(seconds), reader, &location)
    }
    defer { free(location) }
    if let location { return .redirect(String(cString: location)) }
    return status == 200 ? .body(transfer.body) : nil
  }
}
