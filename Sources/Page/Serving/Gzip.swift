import CZlib
import HTTP
import NIOCore
import Text

/// Compresses what is sent (RFC 1952).
///
/// Browsers take nothing better on a connection without TLS.
enum Gzip {
  /// What is smaller, in bytes, isn't worth compressing.
  static let least = 1024

  /// Whether a request takes compressed answers.
  static func isWanted(by head: RequestHead) -> Bool {
    head.fields.all("accept-encoding").contains { value in
      value.lowercased().split(separator: ",").contains { coding in
        let parts = coding.split(separator: ";").map(\.trimmingASCIISpace)
        guard parts.first == "gzip" else { return false }
        return !parts.dropFirst().contains {
          $0 == "q=0" || $0 == "q=0.0" || $0 == "q=0.00" || $0 == "q=0.000"
        }
      }
    }
  }

  /// Returns `body` compressed; nil when that doesn't make it smaller.
  ///
  /// - Parameter level: 1 is fast, 9 small.
  static func compressed(_ body: ByteBuffer, level: Int32) -> ByteBuffer? {
    var stream = z_stream()
    guard czlib_begin_gzip(&stream, level) == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var result = ByteBuffer()
    // No larger than the body: more would be of no use.
    result.writeWithUnsafeMutableBytes(minimumWritableBytes: body.readableBytes) { output in
      body.withUnsafeReadableBytes { input in
        // zlib only reads its input, though its type doesn't say so.
        stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.avail_in = UInt32(clamping: input.count)
        stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.avail_out = UInt32(clamping: body.readableBytes)
        return deflate(&stream, Z_FINISH) == Z_STREAM_END ? body.readableBytes - Int(stream.avail_out) : 0
      }
    }
    return result.readableBytes > 0 ? result : nil
  }
}

extension HTTPResponse {
  /// The response with its body compressed, fast, if the request takes that and it is worth it.
  func compressed(for head: RequestHead) -> HTTPResponse {
    guard body.readableBytes >= Gzip.least else { return self }
    var response = self
    response.fields.append(HTTPField("VARY", "Accept-Encoding"))
    guard Gzip.isWanted(by: head), let body = Gzip.compressed(body, level: 1) else { return response }
    response.body = body
    response.fields.append(HTTPField("CONTENT-ENCODING", "gzip"))
    return response
  }
}
