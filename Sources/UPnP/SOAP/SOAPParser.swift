import CLibXML2
import NIOCore

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
}

/// Parses SOAP requests with libxml2's SAX interface: by local names, without network access, entities or DTDs.
enum SOAPParser {
  static let maximumDepth = 16
  static let maximumArguments = 64
  static let maximumNameBytes = 128
  /// Of the action's service type; the longest that anybody uses has some 60.
  static let maximumNamespaceBytes = 512

  /// Parses `body`, whose size the HTTP server has limited.
  static func parse(_ body: ByteBuffer) throws(SOAPParserError) -> SOAPBody {
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
    }
    return text
  }

  /// libxml2 must be initialised before several threads use it.
  private static let libraryIsReady: Bool = {
    xmlInitParser()
    return true
  }()

  private static func run(_ bytes: UnsafeRawBufferPointer, into reader: UnsafeMutablePointer<SOAPReader>)
    -> Bool
  {
    var handler = xmlSAXHandler()
    handler.initialized = UInt32(XML_SAX2_MAGIC)
    handler.startElementNs = startElement
    handler.endElementNs = endElement
    handler.characters = characters
    handler.cdataBlock = characters
    handler.ignorableWhitespace = characters
    handler.internalSubset = { context, _, _, _ in SOAPReader.stop(context, .malformed) }
    handler.entityDecl = { context, _, _, _, _, _ in SOAPReader.stop(context, .malformed) }
    handler.reference = { context, _ in SOAPReader.stop(context, .malformed) }
    guard let context = xmlCreatePushParserCtxt(&handler, reader, nil, 0, nil) else { return false }
    defer { xmlFreeParserCtxt(context) }
    reader.pointee.parser = context
    // Neither NOENT nor DTDLOAD nor HUGE, so the library's own limits stay in force. A declared encoding is ignored,
    // since it would load converters for hundreds of encodings.
    let options =
      XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
      | XML_PARSE_IGNORE_ENC.rawValue
    xmlCtxtUseOptions(context, Int32(bitPattern: options))
    xmlParseChunk(
      context, bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(clamping: bytes.count), 1)
    // Not the returned status: libxml2 reports an undeclared prefix as an error, but prefixes are ignored here.
    return context.pointee.wellFormed != 0
  }

  private static let startElement: startElementNsSAX2Func = { context, name, _, uri, _, _, _, _, _ in
    SOAPReader.from(context)?.pointee.start(name, uri)
  }
  private static let endElement: endElementNsSAX2Func = { context, _, _, _ in
    SOAPReader.from(context)?.pointee.end()
  }
  private static let characters: charactersSAXFunc = { context, text, length in
    SOAPReader.from(context)?.pointee.text(text, Int(length))
  }
}

/// The state of one parse.
private struct SOAPReader {
  var action: String?
  var namespace = ""
  var arguments: [(name: String, text: String)] = []
  var failure: SOAPParserError?
  var parser: xmlParserCtxtPtr?

  private var depth = 0
  private var isEnvelope = false
  private var isBody = false
  private var isAction = false
  private var collected: [UInt8] = []
  private var argument: String?

  /// libxml2 passes back the pointer that it was given; it is valid during the parse.
  static func from(_ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<SOAPReader>? {
    context?.assumingMemoryBound(to: SOAPReader.self)
  }

  static func stop(_ context: UnsafeMutableRawPointer?, _ reason: SOAPParserError) {
    from(context)?.pointee.stop(reason)
  }

  mutating func stop(_ reason: SOAPParserError) {
    guard failure == nil else { return }
    failure = reason
    xmlStopParser(parser)
  }

  mutating func start(_ name: UnsafePointer<xmlChar>?, _ uri: UnsafePointer<xmlChar>?) {
    guard failure == nil, let name else { return }
    depth += 1
    guard depth <= SOAPParser.maximumDepth else { return stop(.tooLarge) }
    switch depth {
    case 1: isEnvelope = xmlStrEqual(name, Self.envelopeName) != 0
    case 2: isBody = isEnvelope && action == nil && xmlStrEqual(name, Self.bodyName) != 0
    case 3:
      isAction = isBody && action == nil
      if isAction {
        guard xmlStrlen(name) <= SOAPParser.maximumNameBytes,
          uri.map({ xmlStrlen($0) <= SOAPParser.maximumNamespaceBytes }) ?? true
        else { return stop(.tooLarge) }
        action = Self.string(name)
        namespace = uri.map(Self.string) ?? ""
      }
    case 4 where isAction:
      guard arguments.count < SOAPParser.maximumArguments, xmlStrlen(name) <= SOAPParser.maximumNameBytes
      else {
        return stop(.tooLarge)
      }
      argument = Self.string(name)
      collected.removeAll(keepingCapacity: true)
    default: break
    }
  }

  mutating func end() {
    if depth == 4, let name = argument {
      arguments.append((name, String(decoding: collected, as: UTF8.self).streamSafe))
      argument = nil
    }
    if depth == 3 { isAction = false }
    depth -= 1
  }

  mutating func text(_ text: UnsafePointer<xmlChar>?, _ length: Int) {
    guard depth == 4, argument != nil, let text, length > 0 else { return }
    collected.append(contentsOf: UnsafeBufferPointer(start: text, count: length))
  }

  private static func string(_ text: UnsafePointer<xmlChar>) -> String { String(cString: text).streamSafe }

  private static let envelopeName: [xmlChar] = Array("Envelope".utf8) + [0]
  private static let bodyName: [xmlChar] = Array("Body".utf8) + [0]
}
