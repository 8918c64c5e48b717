/// A page that is built for every request.
public struct HTTPPage: Sendable {
  /// The Content-Type header, for example `text/html; charset="utf-8"`.
  public var contentType: String
  public var body: String

  public init(contentType: String, body: String) {
    self.contentType = contentType
    self.body = body
  }
}
