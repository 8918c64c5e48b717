import NIOCore

/// Escapes text for XML; the result is well-formed, since characters that XML 1.0 can't hold become U+FFFD.
public enum XMLEscaping {
  /// Escapes `text` for element content.
  public static func text(_ text: String) -> String {
    var buffer = ByteBuffer()
    buffer.writeXML(text)
    return String(buffer: buffer)
  }

  /// Escapes `text` for an attribute in double quotes.
  public static func attribute(_ text: String) -> String {
    var buffer = ByteBuffer()
    buffer.writeXML(text, quotes: true)
    return String(buffer: buffer)
  }
}
