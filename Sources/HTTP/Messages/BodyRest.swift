import NIOCore

/// Writes the rest of a body that is too long for one turn of the event loop.
public protocol BodyRest: Sendable {
  /// Appends the next piece; returns false after the last one.
  mutating func write(to body: inout ByteBuffer) -> Bool
}
