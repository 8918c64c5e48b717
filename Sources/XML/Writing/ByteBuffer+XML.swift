import NIOCore

extension ByteBuffer {
  /// Writes `text` as XML content; with `quotes` as an attribute value in double quotes.
  public mutating func writeXML(_ text: String, quotes: Bool = false) {
    var text = text
    text.withUTF8 { writeXML(bytes: UnsafeRawBufferPointer($0), quotes: quotes) }
  }

  /// Writes UTF-8 `bytes` as XML content; with `quotes` as an attribute value in double quotes.
  public mutating func writeXML(bytes: UnsafeRawBufferPointer, quotes: Bool = false) {
    let table = quotes ? EscapeTable.attribute : EscapeTable.text
    var index = 0
    while index < bytes.count {
      let room = min(bytes.count - index, 16 * 1024) + 2 * EscapeTable.stride
      writeWithUnsafeMutableBytes(minimumWritableBytes: room) { target in
        table.escape(bytes, from: &index, into: target)
      }
    }
  }

  /// Writes `<name>text</name>` with `text` escaped; `name` must be a valid XML name.
  public mutating func writeElement(_ name: String, text: String) {
    writeTag(name)
    writeXML(text)
    writeTag(name, prefix: "</")
  }

  /// Writes `<name>`; `name` must be a valid XML name.
  public mutating func writeTag(_ name: String, prefix: StaticString = "<", suffix: StaticString = ">") {
    writeStaticString(prefix)
    writeString(name)
    writeStaticString(suffix)
  }
}
