/// A page that the host's owner serves beside the devices, made anew for every request.
public struct HTTPPage: Sendable {
  /// `text/html; charset="utf-8"`
  public var contentType: String
  public var body: String

  public init(contentType: String, body: String) {
    self.contentType = contentType
    self.body = body
  }
}
