import NIOCore

/// A complete request.
public struct HTTPRequest: Sendable {
  public var head: RequestHead
  public var body: ByteBuffer
}
