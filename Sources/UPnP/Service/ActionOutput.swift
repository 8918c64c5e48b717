import XML

/// An out argument: a string, or a generator of its pieces.
public enum ActionOutput: Sendable {
  case text(String)
  case pieces(any ChunkedText)

  /// The whole string, not yet escaped.
  public var text: String {
    switch self {
    case .text(let text): return text
    case .pieces(var pieces):
      var whole = XMLText(capacity: 1024)
      while pieces.write(to: &whole) {}
      return whole.text
    }
  }
}

/// A string that may be too long to build in one turn of the event loop, so it is built in pieces.
public protocol ChunkedText: Sendable {
  /// Adds the next piece to `text`, about ``ChunkedText/usualLength`` bytes; returns false after the last one.
  mutating func write(to text: inout XMLText) -> Bool
}

extension ChunkedText {
  /// The usual length of a piece in bytes; one takes a millisecond or two to build and escape.
  public static var usualLength: Int { 256 * 1024 }
}
