import HTTP
import NIOCore

/// What is asked of the server for requests whose bodies or answers go piece by piece.
public struct UploadConnections: Sendable {
  /// ``HTTPServer/want(_:of:)``
  var want: @Sendable (Int, RequestID) -> Void
  /// ``HTTPServer/complete(_:with:)``
  var complete: @Sendable (RequestID, HTTPResponse) -> Void
  /// ``HTTPServer/write(_:to:)``
  var write: @Sendable (ByteBuffer, RequestID) -> Void
  /// ``HTTPServer/end(_:)``
  var end: @Sendable (RequestID) -> Void

  public init(
    want: @escaping @Sendable (Int, RequestID) -> Void,
    complete: @escaping @Sendable (RequestID, HTTPResponse) -> Void,
    write: @escaping @Sendable (ByteBuffer, RequestID) -> Void, end: @escaping @Sendable (RequestID) -> Void
  ) {
    self.want = want
    self.complete = complete
    self.write = write
    self.end = end
  }
}
