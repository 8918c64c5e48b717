import CCurl
import Glibc
import Listening
import Network
import Synchronization

/// Posts reports with libcurl, which is loaded with the first of them. Blocks; for threads of its own.
package struct ReportCaller: Sendable {
  /// Why there is no answer.
  package enum Failure: Error, Sendable, Equatable {
    case noLibrary
    /// Plain HTTP goes only to hosts on the link.
    case notOnLink
    /// In libcurl's words.
    case trouble(String)
  }

  /// An answer is read up to here; a longer one is nonsense.
  private static let longestAnswer = 64 * 1024
  private static let mostFields = 64

  private let userAgent: String
  private let timeout: Duration
  private let stop: Stop

  /// Ends calls that are under way, from another thread.
  package final class Stop: Sendable {
    fileprivate let isSet = Atomic(false)

    package init() {}

    package func set() { isSet.store(true, ordering: .relaxed) }
  }

  /// - Parameters:
  ///   - timeout: how long a call may take.
  ///   - stop: ends calls that are under way.
  package init(userAgent: String, timeout: Duration, stop: Stop = Stop()) {
    self.userAgent = userAgent
    self.timeout = timeout
    self.stop = stop
  }

  private struct Transfer {
    let isPlain: Bool
    let stop: Stop
    var isRefused = false
    var isTooLong = false
    var body: [UInt8] = []
    var fields: [String: String] = [:]
  }

  /// Makes the call, without following redirects.
  package func post(_ request: ReportRequest) -> Result<ReportAnswer, Failure> {
    let isPlain = request.url.lowercased().hasPrefix("http://")
    var transfer = Transfer(isPlain: isPlain, stop: stop)
    var trouble: UnsafePointer<CChar>?
    let status = withUnsafeMutablePointer(to: &transfer) { transfer in
      withFields(request.fields) { fields in
        ccurl_post(
          request.url, userAgent, fields, request.body, request.body.count, max(1, milliseconds),
          isPlain ? 1 : 0, Self.reader(transfer), Self.answer(transfer), &trouble)
      }
    }
    if transfer.isRefused { return .failure(.notOnLink) }
    if transfer.isTooLong { return .failure(.trouble("its answer is too long")) }
    if status < 0 { return .failure(.noLibrary) }
    if status == 0 { return .failure(.trouble(trouble.map { String(cString: $0) } ?? "no answer")) }
    return .success(ReportAnswer(status: Int(status), fields: transfer.fields, body: transfer.body))
  }

  private var milliseconds: Int {
    Int(timeout.components.seconds * 1000 + timeout.components.attoseconds / 1_000_000_000_000_000)
  }

  /// The lines of the head as C strings, behind the last of which is NULL.
  private func withFields<Result>(
    _ fields: [(name: String, value: String)], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    var lines = fields.map { UnsafePointer(strdup("\($0.name): \($0.value)")) }
    lines.append(nil)
    defer { for line in lines { free(UnsafeMutablePointer(mutating: line)) } }
    return lines.withUnsafeBufferPointer { lines in
      // It is never empty.
      lines.baseAddress.map(body) ?? withUnsafePointer(to: nil) { body($0) }
    }
  }

  private static func reader(_ transfer: UnsafeMutablePointer<Transfer>) -> ccurl_reader {
    ccurl_reader(
      context: transfer,
      may_connect: { context, bytes, length, _ in
        guard let transfer = context?.assumingMemoryBound(to: Transfer.self) else { return 0 }
        guard transfer.pointee.isPlain else { return 1 }
        let bytes = UnsafeBufferPointer(start: bytes, count: Int(length))
        guard let address = IPAddress(networkBytes: bytes), ConnectedNetworks.contain(address) else {
          transfer.pointee.isRefused = true
          return 0
        }
        // A name may have several addresses, the first of which wasn't reachable so.
        transfer.pointee.isRefused = false
        return 1
      },
      take: { context, bytes, count in
        guard let transfer = context?.assumingMemoryBound(to: Transfer.self) else { return 0 }
        guard transfer.pointee.body.count + count <= ReportCaller.longestAnswer else {
          transfer.pointee.isTooLong = true
          return 0
        }
        transfer.pointee.body += UnsafeBufferPointer(start: bytes, count: count)
        return 1
      },
      goes_on: { context in
        guard let transfer = context?.assumingMemoryBound(to: Transfer.self) else { return 0 }
        return transfer.pointee.stop.isSet.load(ordering: .relaxed) ? 0 : 1
      })
  }

  private static func answer(_ transfer: UnsafeMutablePointer<Transfer>) -> ccurl_answer {
    ccurl_answer(
      context: transfer,
      field: { context, bytes, count in
        guard let transfer = context?.assumingMemoryBound(to: Transfer.self), count <= 4096,
          transfer.pointee.fields.count < ReportCaller.mostFields
        else { return }
        let line = UnsafeBufferPointer(start: bytes, count: count)
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        let value = line[(colon + 1)...].filter { $0 > 0x20 && $0 < 0x7f }
        transfer.pointee.fields[name] = String(decoding: value, as: UTF8.self)
      })
  }
}
