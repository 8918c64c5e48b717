import NIOCore

/// Escapes text for XML; the result is well-formed, since characters that XML 1.0 can't hold become U+FFFD.
public enum XMLEscaping {
  /// Escapes `text` for element content.
  public static func text(_ text: String) -> String { escape(text, quotes: false) }

  /// Escapes `text` for an attribute value in double quotes.
  public static func attribute(_ text: String) -> String { escape(text, quotes: true) }

  private static func escape(_ text: String, quotes: Bool) -> String {
    var buffer = ByteBuffer()
    buffer.writeXML(text, quotes: quotes)
    return String(buffer: buffer)
  }
}
