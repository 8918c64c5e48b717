import HTTP
import JSON

/// Why a request of the API is refused, as its answer says it (RFC 9457).
public struct Problem: Error, Sendable, Hashable {
  /// A word that stays the same: `out-of-range`.
  public var type: String
  public var status: HTTPStatus
  /// What is wrong and what to do, in plain words.
  public var detail: String
  /// Where in the body it is (RFC 6901); nil when it isn't about the body.
  public var pointer: String?
  /// The UPnP error code, where there is one.
  public var upnpCode: Int?
  /// When to try again, in seconds.
  public var retryAfter: Int?

  public init(
    _ type: String, _ status: HTTPStatus, _ detail: String, pointer: String? = nil, upnpCode: Int? = nil,
    retryAfter: Int? = nil
  ) {
    self.type = type
    self.status = status
    self.detail = detail
    self.pointer = pointer
    self.upnpCode = upnpCode
    self.retryAfter = retryAfter
  }

  /// There is no such thing: 404.
  public static func notFound(_ detail: String) -> Problem { Problem("not-found", .notFound, detail) }

  /// It isn't possible now: 409.
  public static func conflict(_ detail: String, type: String = "not-possible-now") -> Problem {
    Problem(type, .conflict, detail)
  }

  /// The player has no queue: 409.
  static let noQueue = Problem.conflict(
    "There is no queue: [openhome] enabled is false in the configuration.", type: "no-queue")

  /// Another device didn't answer, or with nonsense: 502.
  public static func badGateway(_ detail: String) -> Problem { Problem("no-answer", .badGateway, detail) }

  /// What is needed for it is missing, or everything is in use: 503.
  public static func unavailable(_ type: String, _ detail: String, retryAfter: Int? = nil) -> Problem {
    Problem(type, .serviceUnavailable, detail, retryAfter: retryAfter)
  }
}

extension Problem: JSONWritable {
  public func write(to json: inout JSONWriter) {
    API.Problem(
      type: type, title: "\(status.reason)", status: status.rawValue, detail: detail, pointer: pointer,
      upnpCode: upnpCode
    ).write(to: &json)
  }
}
