import NIOCore

/// A long XML text, put together in one pass over what it is made of.
public struct XMLText: Sendable {
  private var buffer = ByteBuffer()

  /// - Parameter capacity: the length in bytes that is expected.
  public init(capacity: Int) {
    buffer.reserveCapacity(capacity)
  }

  /// Length so far, in bytes.
  public var count: Int { buffer.readableBytes }

  /// Adds `markup` as it is.
  public mutating func append(_ markup: StaticString) { buffer.writeStaticString(markup) }

  public mutating func append(_ number: UInt32) { buffer.writeInteger(text: Int(number)) }

  /// Adds `text` as element content.
  public mutating func append(escaping text: String) { buffer.writeXML(text) }

  /// The whole text.
  public var text: String { String(buffer: buffer) }
}
