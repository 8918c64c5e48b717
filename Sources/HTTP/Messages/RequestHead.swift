/// The way to find the end of a body.
enum BodyFraming: Sendable, Hashable {
  case length(Int)
  case chunked
}

/// A request without its body.
public struct RequestHead: Sendable {
  public var method: String
  /// The path without query.
  public var path: String
  /// What follows the path behind a question mark; nil when there is none.
  public var query: String?
  /// The authority of a request target in absolute form; nil for the usual form.
  var authority: String?
  /// 0 for HTTP/1.0, otherwise 1.
  var minorVersion: Int
  public var fields: HeaderFields
  var framing: BodyFraming = .length(0)

  /// The bytes of its body; nil when only the end of the body will tell.
  public var bodyBytes: Int? { if case .length(let length) = framing { length } else { nil } }

  /// The host that the request is addressed to, as sent.
  package var host: String? { authority ?? fields.first("host") }

  package var keepsAlive: Bool {
    minorVersion == 0
      ? fields.lists("keep-alive", in: "connection") : !fields.lists("close", in: "connection")
  }

  package var expectsContinue: Bool {
    minorVersion > 0 && fields.first("expect")?.lowercased() == "100-continue"
  }
}
