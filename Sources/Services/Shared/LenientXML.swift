import CLibXML2
import UPnP

/// One element of a small document, without namespaces.
struct XMLNode: Sendable, Equatable {
  /// Local name; the prefix is dropped, declared or not.
  var name: String
  var attributes: [String: String] = [:]
  var children: [XMLNode] = []
  /// The element's own text, without that of its children.
  var text = ""

  func child(_ name: String) -> XMLNode? { children.first { $0.name == name } }
  func children(_ name: String) -> [XMLNode] { children.filter { $0.name == name } }

  /// The trimmed text of the first child called `name`, unless empty.
  func text(of name: String) -> String? {
    guard let text = child(name)?.text.trimmingASCIISpace, !text.isEmpty else { return nil }
    return text
  }
}

/// Reads XML that was written badly: undeclared prefixes, raw ampersands, HTML entities, a document that was
/// escaped twice, a missing end.
///
/// libxml2 in recovery mode, without network, DTD and entities; bounded in size, depth and count.
enum LenientXML {
  static let maximumLength = 1024 * 1024
  static let maximumDepth = 32
  static let maximumElements = 50_000

  /// The root element of `text`, or nil when there is none to be found. What comes after `limit` elements is left out.
  static func parse(_ text: String, limit: Int = maximumElements) -> XMLNode? {
    guard text.utf8.count <= maximumLength else { return nil }
    var document = text.trimmingASCIISpace
    if document.hasPrefix("\u{feff}") { document.removeFirst() }
    if document.hasPrefix("&lt;") { document = HTMLEntities.unescaped(document) }
    // A NUL among the first bytes would make libxml2 take the text for UTF-16.
    guard document.hasPrefix("<"), !document.utf8.prefix(4).contains(0) else { return nil }
    document = HTMLEntities.repaired(document)
    let isHarmless = document.withUTF8 { XMLTagScan.isHarmless(UnsafeRawBufferPointer($0)) }
    return isHarmless ? run(document, limit: limit) : nil
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
      // The text is UTF-8 by now, whatever encoding it was declared in.
      let options =
        XML_PARSE_RECOVER.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue
        | XML_PARSE_NOWARNING.rawValue | XML_PARSE_IGNORE_ENC.rawValue
      xmlCtxtUseOptions(parser, Int32(options))
      var document = document
      document.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { text in
          // In pieces, so that a document that is refused is not read to its end. Each ends in front of a tag: libxml2
          // can't go on in the middle of a character, nor of a tag with a ">" in an attribute.
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

/// Puts the parser's events together.
private final class TreeBuilder {
  var isRefused = false
  /// True when nothing of what follows counts.
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
    // Whatever follows the root element is not part of the document.
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
        node.attributes[Self.localName(key)] = pair[1].map(Self.attributeText) ?? ""
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
    guard let node = open.popLast() else { return }
    if open.isEmpty { root = root ?? node } else { open[open.count - 1].children.append(node) }
  }

  func add(_ bytes: UnsafePointer<xmlChar>?, _ count: Int32) {
    guard !isDone, let bytes, !open.isEmpty else { return }
    open[open.count - 1].text += String(
      decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
  }

  /// Closes what is still open, because the document is cut off or there is too much of it.
  func finish() -> XMLNode? {
    while !open.isEmpty { close() }
    return root
  }

  /// libxml2 has replaced all references but those to the ampersand, which it leaves to those who replace entities.
  private static func attributeText(_ value: UnsafePointer<xmlChar>) -> String {
    String(cString: value).replacing("&#38;", with: "&")
  }

  private static func localName(_ name: UnsafePointer<xmlChar>?) -> String {
    guard let name else { return "" }
    let text = String(cString: name)
    return text.split(separator: ":", maxSplits: 1).last.map(String.init) ?? text
  }
}
