import NIOCore
import Network
import Text

/// The header fields of a request, in their order.
struct HeaderFields: Sendable {
  /// Names in lower case.
  private var fields: [(name: String, value: String)] = []

  mutating func append(name: String, value: String) { fields.append((name, value)) }

  /// Returns the first value of the field `name` (in lower case).
  func first(_ name: String) -> String? {
    for field in fields where field.name == name { return field.value }
    return nil
  }

  func all(_ name: String) -> [String] {
    fields.lazy.filter { $0.name == name }.map(\.value)
  }

  func contains(_ name: String) -> Bool { first(name) != nil }

  /// True when `token` (in lower case) is one of the comma-separated tokens of the field `name`.
  func lists(_ token: String, in name: String) -> Bool {
    for field in fields where field.name == name {
      if field.value.lowercased().split(separator: ",").contains(where: { $0.trimmingASCIISpace == token }) {
        return true
      }
    }
    return false
  }
}

/// The way to find the end of a body.
enum BodyFraming: Sendable, Hashable {
  case length(Int)
  case chunked
}

/// A request without its body.
struct RequestHead: Sendable {
  var method: String
  /// The path without query.
  var path: String
  /// The authority of a request target in absolute form; nil for the usual form.
  var authority: String?
  /// 0 for HTTP/1.0, otherwise 1.
  var minorVersion: Int
  var fields: HeaderFields
  var framing: BodyFraming = .length(0)

  /// The host that the request is addressed to, as sent.
  var host: String? { authority ?? fields.first("host") }

  var keepsAlive: Bool {
    minorVersion == 0
      ? fields.lists("keep-alive", in: "connection") : !fields.lists("close", in: "connection")
  }

  var expectsContinue: Bool {
    minorVersion > 0 && fields.first("expect")?.lowercased() == "100-continue"
  }
}

/// A complete request.
struct HTTPRequest: Sendable {
  var head: RequestHead
  var body: ByteBuffer
}

/// Both ends of a connection.
struct Peer: Sendable, Hashable {
  var remote: IPAddress
  var local: IPAddress
  var localPort: Int
  /// The interface of the connection, if an address is ambiguous without it; otherwise nil.
  var scope: Int?
}
