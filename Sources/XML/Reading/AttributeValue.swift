import CLibXML2
import Text

/// Values of attributes, as libxml2 passes them on.
enum AttributeValue {
  /// libxml2 has replaced all references except those to the ampersand, which it leaves to the substitution
  /// of entities.
  static func text(_ value: UnsafePointer<xmlChar>, count: Int) -> String {
    var rest = UnsafeBufferPointer(start: value, count: count)[...]
    var text: [UInt8] = []
    text.reserveCapacity(rest.count)
    while let byte = rest.popFirst() {
      text.append(byte)
      if byte == UInt8(ascii: "&"), rest.starts(with: "#38;".utf8) { rest = rest.dropFirst(4) }
    }
    return String(decoding: text, as: UTF8.self).streamSafe
  }
}
