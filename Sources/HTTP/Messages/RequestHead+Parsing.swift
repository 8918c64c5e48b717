import Glibc
import Text

extension RequestHead {
  /// Parses a complete head, including the empty line at its end.
  init(parsing bytes: UnsafeRawBufferPointer) throws(HTTPError) {
    var rest = bytes[...]
    guard let line = Self.takeLine(&rest) else { throw HTTPError(status: .badRequest) }
    let request = try RequestLine(line)
    var fields = HeaderFields()
    while let line = Self.takeLine(&rest), !line.isEmpty {
      let field = try Self.field(line)
      fields.append(name: field.name, value: field.value)
    }
    self.init(
      method: request.method, path: request.path, query: request.query, authority: request.authority,
      minorVersion: request.minorVersion, fields: fields)
    guard fields.all("host").count <= 1, minorVersion == 0 || host != nil else {
      throw HTTPError(status: .badRequest)
    }
    framing = try Self.framing(of: fields, method: method, minorVersion: minorVersion)
  }

  private static func takeLine(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer>?
  {
    guard let newline = rest.firstIndex(of: 0x0a) else { return nil }
    var line = rest[rest.startIndex..<newline]
    rest = rest[(newline + 1)...]
    if line.last == 0x0d { line = line.dropLast() }
    return line
  }

  private static func field(
    _ line: Slice<UnsafeRawBufferPointer>
  ) throws(HTTPError) -> (name: String, value: String) {
    guard let colon = line.firstIndex(of: 0x3a), colon > line.startIndex,
      line[..<colon].allSatisfy(\.isHTTPToken)
    else { throw HTTPError(status: .badRequest) }
    var value = line[(colon + 1)...]
    while let byte = value.first, byte.isBlank { value = value.dropFirst() }
    while let byte = value.last, byte.isBlank { value = value.dropLast() }
    guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else {
      throw HTTPError(status: .badRequest)
    }
    let name = line[line.startIndex..<colon]
    return (
      String(unsafeUninitializedCapacity: name.count) { buffer in
        for (offset, byte) in name.enumerated() {
          buffer[offset] = (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
        }
        return name.count
      },
      String(decoding: UnsafeRawBufferPointer(rebasing: value), as: UTF8.self).streamSafe
    )
  }

  /// Determines the framing (RFC 9112, "Message Body Length"); an ambiguous request is refused.
  private static func framing(
    of fields: HeaderFields, method: String, minorVersion: Int
  ) throws(HTTPError) -> BodyFraming {
    let lengths = fields.all("content-length")
    if let coding = fields.first("transfer-encoding") {
      guard lengths.isEmpty, minorVersion > 0, fields.all("transfer-encoding").count == 1 else {
        throw HTTPError(status: .badRequest)
      }
      guard coding.lowercased() == "chunked" else { throw HTTPError(status: .notImplemented) }
      return .chunked
    }
    guard let text = lengths.first else {
      // Without either field there is no body (RFC 9112, 6.3), as with `curl -X POST`. Who names a type or waits for our
      // consent means to send one, and HTTP/1.0 can't do so without its length.
      let meansBody = fields.contains("content-type") || fields.contains("expect")
      if method == "POST", meansBody || minorVersion == 0 { throw HTTPError(status: .lengthRequired) }
      return .length(0)
    }
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      lengths.allSatisfy({ $0 == text })
    else { throw HTTPError(status: .badRequest) }
    // A number too large for an Int is also too large for a body.
    guard let length = Int(text) else { throw HTTPError(status: .contentTooLarge) }
    return .length(length)
  }
}

/// The first line of a request: `GET /path HTTP/1.1`.
private struct RequestLine {
  var method: String
  var path: String
  var query: String?
  var authority: String?
  var minorVersion: Int

  init(_ line: Slice<UnsafeRawBufferPointer>) throws(HTTPError) {
    let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 3, (1...24).contains(parts[0].count), parts[0].allSatisfy(\.isHTTPToken),
      !parts[1].isEmpty, parts[1].allSatisfy({ (0x21...0x7e).contains($0) })
    else { throw HTTPError(status: .badRequest) }
    method = String(decoding: UnsafeRawBufferPointer(rebasing: parts[0]), as: UTF8.self)
    minorVersion = try Self.minorVersion(
      String(decoding: UnsafeRawBufferPointer(rebasing: parts[2]), as: UTF8.self))
    let target = String(decoding: UnsafeRawBufferPointer(rebasing: parts[1]), as: UTF8.self)
    var path = target[...]
    if target.utf8.first != 0x2f, target != "*" {
      guard target.utf8.count > 7, target.prefix(7).lowercased() == "http://" else {
        throw HTTPError(status: .badRequest)
      }
      let rest = target.dropFirst(7)
      let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
      authority = String(rest[..<end])
      path = rest[end...]
    }
    if let mark = path.utf8.firstIndex(of: 0x3f) {
      query = String(path[path.utf8.index(after: mark)...])
      path = path[..<mark]
    }
    self.path = String(path)
    if self.path.isEmpty { self.path = "/" }
  }

  private static func minorVersion(_ text: String) throws(HTTPError) -> Int {
    switch text {
    case "HTTP/1.1": return 1
    case "HTTP/1.0": return 0
    default:
      let digits = Array(text.utf8)
      guard digits.count == 8, text.hasPrefix("HTTP/"), digits[6] == 0x2e,
        (0x30...0x39).contains(digits[5]), (0x30...0x39).contains(digits[7])
      else { throw HTTPError(status: .badRequest) }
      guard digits[5] == 0x31 else { throw HTTPError(status: .versionNotSupported) }
      return 1
    }
  }
}

extension UInt8 {
  /// True for the characters of a token (RFC 9110, "tchar").
  package var isHTTPToken: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    case 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x5e, 0x5f, 0x60, 0x7c, 0x7e: true
    default: false
    }
  }

  /// True for a space and a tab.
  package var isBlank: Bool { self == 0x20 || self == 0x09 }
}
