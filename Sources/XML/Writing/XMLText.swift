import NIOCore

/// A long XML string, built in one pass over its source.
public struct XMLText: Sendable {
  private var buffer = ByteBuffer()

  /// Makes an empty string.
  ///
  /// - Parameter capacity: the expected length in bytes.
  public init(capacity: Int) {
    buffer.reserveCapacity(capacity)
  }

  /// The current length in bytes.
  public var count: Int { buffer.readableBytes }

  /// Appends `markup` unescaped.
  public mutating func append(_ markup: StaticString) { buffer.writeStaticString(markup) }

  /// Appends `markup`, which has been escaped where it needs to be.
  public mutating func append(markup: String) { buffer.writeString(markup) }

  public mutating func append(_ number: UInt32) { buffer.writeString(String(number)) }

  /// Appends `text`, escaped as element content.
  public mutating func append(escaping text: String) { buffer.writeXML(text) }

  /// Passes the whole content to `take` and empties the string, keeping its capacity.
  public mutating func clear(_ take: (UnsafeRawBufferPointer) -> Void) {
    buffer.withUnsafeReadableBytes(take)
    buffer.clear()
  }

  /// The whole string.
  public var text: String { String(buffer: buffer) }
}
