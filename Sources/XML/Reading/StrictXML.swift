import CLibXML2
import NIOCore
import Text

/// Reads XML that has to be well-formed, with libxml2's SAX interface: by local names, without network access, entities
/// or DTDs.
public enum StrictXML {
  /// The deepest nesting that a visitor can allow.
  public static let maximumDepth = 32

  /// Reads `document`, whose size the caller has limited, and returns the visitor that has seen all of it.
  ///
  /// - Parameter depth: the deepest nesting allowed, at most ``maximumDepth``.
  public static func read<Visitor: XMLVisitor>(
    _ document: ByteBuffer, depth: Int, with visitor: Visitor
  ) throws(XMLError) -> Visitor {
    _ = libraryIsReady
    let document = XMLInput.withoutTrailingNULs(document)
    var result = visitor
    if try run(document, depth: depth, into: &result) { return result }
    result = visitor
    guard let text = XMLInput.latin1(document), try run(text, depth: depth, into: &result) else {
      throw .malformed
    }
    return result
  }

  /// Returns false for anything that isn't well-formed UTF-8.
  private static func run<Visitor: XMLVisitor>(
    _ document: ByteBuffer, depth: Int, into visitor: inout Visitor
  ) throws(XMLError) -> Bool {
    try document.withUnsafeReadableBytes { bytes throws(XMLError) in
      guard XMLInput.isUTF8(bytes.prefix(4)) else { throw .malformed }
      guard XMLTagScan.isHarmless(bytes) else { throw .tooLarge }
      return try withUnsafeMutablePointer(to: &visitor) { pointer throws(XMLError) in
        var reading = StrictReading(visitor: pointer, type: Visitor.self, maximumDepth: depth)
        let isWellFormed = withUnsafeMutablePointer(to: &reading) { parse(bytes, into: $0) }
        if let failure = reading.failure { throw failure }
        return isWellFormed
      }
    }
  }

  /// libxml2 must be initialised before several threads use it.
  private static let libraryIsReady: Bool = {
    xmlInitParser()
    return true
  }()

  private static func parse(
    _ bytes: UnsafeRawBufferPointer, into reading: UnsafeMutablePointer<StrictReading>
  ) -> Bool {
    var handler = xmlSAXHandler()
    handler.initialized = UInt32(XML_SAX2_MAGIC)
    handler.startElementNs = startElement
    handler.endElementNs = endElement
    handler.characters = characters
    handler.cdataBlock = characters
    handler.ignorableWhitespace = characters
    handler.internalSubset = { context, _, _, _ in StrictReading.stop(context, .malformed) }
    handler.entityDecl = { context, _, _, _, _, _ in StrictReading.stop(context, .malformed) }
    handler.reference = { context, _ in StrictReading.stop(context, .malformed) }
    guard let context = xmlCreatePushParserCtxt(&handler, reading, nil, 0, nil) else { return false }
    defer { xmlFreeParserCtxt(context) }
    reading.pointee.parser = context
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

  private static let startElement: startElementNsSAX2Func = {
    context, name, _, uri, _, _, count, _, attributes in
    guard let name else { return }
    StrictReading.from(context)?.pointee.start(
      XMLStartTag(localName: name, uri: uri, attributes: attributes, attributeCount: Int(count)))
  }
  private static let endElement: endElementNsSAX2Func = { context, _, _, _ in
    StrictReading.from(context)?.pointee.end()
  }
  private static let characters: charactersSAXFunc = { context, text, length in
    StrictReading.from(context)?.pointee.text(text, Int(length))
  }
}
