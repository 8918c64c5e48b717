import CLibXML2
import Text

/// Reads malformed XML: undeclared prefixes, raw ampersands, HTML entities, a document escaped twice, a
/// missing end.
///
/// Uses libxml2 in recovery mode, without network, DTD and entities. Size, depth and number of elements are
/// limited.
public enum LenientXML {
  public static let maximumLength = 1024 * 1024
  public static let maximumDepth = 32
  public static let maximumElements = 50_000
  /// The limit on names of elements and attributes, with their prefix, in bytes.
  public static let maximumNameLength = 128

  /// The root element of `text`; nil when there is none. Everything after `limit` elements is dropped.
  public static func parse(_ text: String, limit: Int = maximumElements) -> XMLNode? {
    guard var document = repaired(text) else { return nil }
    let isHarmless = document.withUTF8 { XMLTagScan.isHarmless(UnsafeRawBufferPointer($0)) }
    return isHarmless ? run(document, limit: limit) : nil
  }

  /// Returns `text` with its references repaired, and unescaped if it was escaped twice; nil for what doesn't begin like
  /// XML, and for what is too long.
  public static func repaired(_ text: String, maximumLength: Int = maximumLength) -> String? {
    guard text.utf8.count <= maximumLength else { return nil }
    var document = text.trimmingASCIISpace
    // Compare bytes: a single character may be as long as the whole text.
    if document.utf8.starts(with: "\u{feff}".utf8) { document = String(document.unicodeScalars.dropFirst()) }
    if document.utf8.starts(with: "&lt;".utf8) { document = HTMLEntities.unescaped(document) }
    // With a NUL among the first bytes, libxml2 would take the input for UTF-16.
    guard document.utf8.first == UInt8(ascii: "<"), !document.utf8.prefix(4).contains(0) else { return nil }
    return HTMLEntities.repaired(document)
  }

  private static func run(_ document: String, limit: Int) -> XMLNode? {
    var handler = xmlSAXHandler()
    handler.internalSubset = { context, _, _, _ in TreeBuilder.of(context)?.isRefused = true }
    handler.startElement = { context, name, attributes in
      TreeBuilder.of(context)?.start(name, attributes)
    }
    handler.endElement = { context, _ in TreeBuilder.of(context)?.end() }
    handler.characters = { context, bytes, count in TreeBuilder.of(context)?.add(bytes, count) }
    handler.cdataBlock = { context, bytes, count in TreeBuilder.of(context)?.add(bytes, count) }

    let builder = TreeBuilder(limit: limit)
    return withExtendedLifetime(builder) {
      let parser = xmlCreatePushParserCtxt(
        &handler, Unmanaged.passUnretained(builder).toOpaque(), nil, 0, nil)
      guard let parser else { return nil }
      defer { xmlFreeParserCtxt(parser) }
      // The input is UTF-8 by now, whatever encoding it declares.
      let options =
        XML_PARSE_RECOVER.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue
        | XML_PARSE_NOWARNING.rawValue | XML_PARSE_IGNORE_ENC.rawValue
      xmlCtxtUseOptions(parser, Int32(options))
      var document = document
      document.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { text in
          // In pieces, so that a refused document isn't read to its end. Each piece ends before a tag:
          // libxml2 can't continue in the middle of a character, nor of a tag with a ">" in an attribute.
          var rest = text[...]
          while !rest.isEmpty, !builder.isDone {
            let next = rest.dropFirst(16 * 1024).firstIndex(of: CChar(0x3c)) ?? rest.endIndex
            let piece = rest[..<next]
            xmlParseChunk(parser, UnsafeBufferPointer(rebasing: piece).baseAddress, Int32(piece.count), 0)
            rest = rest[next...]
          }
        }
      }
      if !builder.isDone { xmlParseChunk(parser, nil, 0, 1) }
      return builder.isRefused ? nil : builder.finish()
    }
  }
}

/// Builds the tree from the parser's events.
private final class TreeBuilder {
  var isRefused = false
  /// True when the rest of the document is ignored.
  var isDone: Bool { isRefused || isFull }
  private var isFull = false
  private let limit: Int
  private var open: [XMLNode] = []
  private var root: XMLNode?
  private var count = 0

  init(limit: Int) { self.limit = limit }

  static func of(_ context: UnsafeMutableRawPointer?) -> TreeBuilder? {
    context.map { Unmanaged<TreeBuilder>.fromOpaque($0).takeUnretainedValue() }
  }

  func start(_ name: UnsafePointer<xmlChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?) {
    // Anything after the root element isn't part of the document.
    guard !isDone, root == nil else { return }
    guard open.count < LenientXML.maximumDepth else {
      isRefused = true
      return
    }
    count += 1
    guard count <= limit else {
      isFull = true
      return
    }
    var node = XMLNode(name: Self.localName(name))
    if var pair = attributes {
      while let key = pair[0] {
        node.attributes[Self.localName(key)] =
          pair[1].map { AttributeValue.text($0, count: Int(xmlStrlen($0))) } ?? ""
        pair += 2
      }
    }
    open.append(node)
  }

  func end() {
    guard !isDone else { return }
    close()
  }

  private func close() {
    guard var node = open.popLast() else { return }
    node.text = node.text.streamSafe
    if open.isEmpty { root = root ?? node } else { open[open.count - 1].children.append(node) }
  }

  func add(_ bytes: UnsafePointer<xmlChar>?, _ count: Int32) {
    guard !isDone, let bytes, !open.isEmpty else { return }
    open[open.count - 1].text += String(
      decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
  }

  /// Closes all open elements, because the document is truncated or too long.
  func finish() -> XMLNode? {
    while !open.isEmpty { close() }
    return root
  }

  /// The name without its prefix; empty for a name beyond ``LenientXML/maximumNameLength``, which nothing looks for.
  private static func localName(_ name: UnsafePointer<xmlChar>?) -> String {
    guard let name else { return "" }
    let count = Int(xmlStrlen(name))
    guard count <= LenientXML.maximumNameLength else { return "" }
    let bytes = UnsafeBufferPointer(start: name, count: count)
    let text = String(decoding: bytes, as: UTF8.self)
    guard bytes.contains(UInt8(ascii: ":")) else { return text }
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1)
    return parts.last.map { String(Substring($0)) } ?? text
  }
}
