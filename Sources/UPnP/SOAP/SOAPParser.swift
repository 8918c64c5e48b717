import NIOCore
import XML

/// The action element of a SOAP body, as it was sent.
struct SOAPBody {
  /// Local name of the element inside `Body`.
  var action: String
  /// Namespace of that element; empty when it has none.
  var namespace: String
  /// Local names and contents of its child elements, in their order.
  var arguments: [(name: String, text: String)]
}

enum SOAPParserError: Error, Hashable {
  /// Not well-formed, or with a document type or entity declarations.
  case malformed
  /// More nesting, arguments or text than any control point needs.
  case tooLarge
  /// Well-formed, but without an action inside `Envelope` and `Body`.
  case noAction

  init(_ error: XMLError) {
    switch error {
    case .malformed: self = .malformed
    case .tooLarge: self = .tooLarge
    }
  }
}

/// Parses SOAP requests, by local names.
enum SOAPParser {
  static let maximumDepth = 16
  static let maximumArguments = 64

  /// Parses `body`, whose size the HTTP server has limited.
  static func parse(_ body: ByteBuffer) throws(SOAPParserError) -> SOAPBody {
<<<<<<< HEAD
    let reader: SOAPReader
    do throws(XMLError) {
      reader = try StrictXML.read(body, depth: maximumDepth, with: SOAPReader())
    } catch {
      throw SOAPParserError(error)
=======
    _ = libraryIsReady
    let body = withoutTrailingNULs(body)
    var result = try read(body)
    if result == nil, let text = latin1(body) { result = try read(text) }
    guard let result else { throw .malformed }
    guard let action = result.action else { throw .noAction }
    return SOAPBody(action: action, namespace: result.namespace, arguments: result.arguments)
  }

  /// Returns nil for anything that isn't well-formed UTF-8.
  private static func read(_ body: ByteBuffer) throws(SOAPParserError) -> SOAPReader? {
    try body.withUnsafeReadableBytes { bytes throws(SOAPParserError) in try read(bytes) }
  }

  private static func read(_ bytes: UnsafeRawBufferPointer) throws(SOAPParserError) -> SOAPReader? {
    guard isUTF8(bytes.prefix(4)) else { throw .malformed }
    guard XMLTagScan.isHarmless(bytes) else { throw .tooLarge }
    var reader = SOAPReader()
    let isWellFormed = withUnsafeMutablePointer(to: &reader) { run(bytes, into: $0) }
    if let failure = reader.failure { throw failure }
    return isWellFormed ? reader : nil
  }

  /// False for a start that libxml2 takes for another encoding (UTF-16, UTF-32, EBCDIC).
  ///
  /// No request needs one, and the byte-wise checks would be wrong for it.
  private static func isUTF8(_ start: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard let first = start.first else { return true }
    return (first <= 0x3c || first == 0xef) && !start.contains(0)
  }

  /// Some control points written in C send the terminating NUL as part of the body.
  private static func withoutTrailingNULs(_ body: ByteBuffer) -> ByteBuffer {
    let bytes = body.readableBytesView
    let end: Int = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? bytes.startIndex
    return ByteBuffer(bytes[..<end])
  }

  /// Returns `body` decoded as Latin-1, the most likely encoding if it isn't UTF-8; nil when it is UTF-8.
  private static func latin1(_ body: ByteBuffer) -> ByteBuffer? {
    let bytes = body.readableBytesView
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    var text = ByteBuffer()
    text.writeWithUnsafeMutableBytes(minimumWritableBytes: 2 * bytes.count) { target in
      var written = 0
      for byte in bytes {
        if byte < 0x80 {
          target[written] = byte
          written += 1
        } else {
          target[written] = 0xc0 | byte >> 6
          target[written + 1] = 0x80 | byte & 0x3f
          written += 2
        }
      }
      return written
>>>>>>> hub/less
    }
    guard let action = reader.action else { throw .noAction }
    return SOAPBody(action: action, namespace: reader.namespace, arguments: reader.arguments)
  }
}

/// The state of one parse.
private struct SOAPReader: XMLVisitor {
  var action: String?
  var namespace = ""
  var arguments: [(name: String, text: String)] = []

  private var isEnvelope = false
  private var isBody = false
  private var isAction = false
  private var argument = ""

  mutating func start(_ tag: XMLStartTag, depth: Int) throws(XMLError) -> Bool {
    switch depth {
    case 1: isEnvelope = tag.isNamed("Envelope")
    case 2: isBody = isEnvelope && action == nil && tag.isNamed("Body")
    case 3:
      isAction = isBody && action == nil
      guard isAction else { break }
      action = try tag.name()
      namespace = try tag.namespace()
    case 4 where isAction:
      guard arguments.count < SOAPParser.maximumArguments else { throw .tooLarge }
      argument = try tag.name()
      return true
    default: break
    }
    return false
  }

  mutating func end(depth: Int, text: String?) {
    if depth == 3 { isAction = false }
    if let text { arguments.append((argument, text)) }
  }
}
