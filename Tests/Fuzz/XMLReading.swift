import CLibXML2
import NIOCore

/// The other side's view of XML that we write.
enum XMLReading {
  static func isWellFormed(_ document: ByteBuffer) -> Bool {
    document.withUnsafeReadableBytes { bytes in
      let options = XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
      let tree = xmlReadMemory(
        bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count), nil, nil, Int32(options))
      xmlFreeDoc(tree)
      return tree != nil
    }
  }
}
