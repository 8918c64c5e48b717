import NIOCore

/// The header fields of a request, in the order of their arrival.
struct HeaderFields: Sendable {
  /// Names in lower case.
  private var fields: [(name: String, value: String)] = []

  mutating func append(name: String, value: String) { fields.append((name, value)) }

  /// The first value of the field called `name` (in lower case).
  func first(_ name: String) -> String? {
    for field in fields where field.name == name { return field.value }
    return nil
  }

  func all(_ name: String) -> [String] {
    fields.lazy.filter { $0.name == name }.map(\.value)
  }

  func contains(_ name: String) -> Bool { first(name) != nil }

  /// True when one of the comma-separated tokens in `name` is `token` (in lower case).
  func lists(_ token: String, in name: String) -> Bool {
    for field in fields where field.name == name {
      if field.value.lowercased().split(separator: ",").contains(where: { $0.trimmingASCIISpace == token }) {
        return true
      }
    }
    return false
  }
}

/// How the end of a body is found.
enum BodyFraming: Sendable, Hashable {
  case length(Int)
  case chunked
}

/// Everything of a request in front of its body.
struct RequestHead: Sendable {
  var method: String
  /// The path without query.
  var path: String
  /// Of a request target in absolute form; nil for the usual form.
  var authority: String?
  /// 0 for HTTP/1.0, otherwise 1.
  var minorVersion: Int
  var fields: HeaderFields
  var framing: BodyFraming = .length(0)

  /// The host that the request is meant for, as its sender wrote it.
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

/// Who sent a request, and where it arrived.
struct Peer: Sendable, Hashable {
  var remote: IPAddress
  var local: IPAddress
  var localPort: Int
}
