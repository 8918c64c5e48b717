/// The status codes that this server sends.
public enum HTTPStatus: Int, Sendable {
  case ok = 200
  case noContent = 204
  case partialContent = 206
  case found = 302
  case notModified = 304
  case badRequest = 400
  case forbidden = 403
  case notFound = 404
  case methodNotAllowed = 405
  case requestTimeout = 408
  case conflict = 409
  case lengthRequired = 411
  case preconditionFailed = 412
  case contentTooLarge = 413
  case uriTooLong = 414
  case unsupportedMediaType = 415
  case rangeNotSatisfiable = 416
  case unprocessableContent = 422
  case tooManyRequests = 429
  case headerFieldsTooLarge = 431
  case internalServerError = 500
  case notImplemented = 501
  case badGateway = 502
  case serviceUnavailable = 503
  case versionNotSupported = 505
  case insufficientStorage = 507

  /// The words behind the code.
  public var reason: StaticString {
    switch self {
    case .ok: "OK"
    case .noContent: "No Content"
    case .partialContent: "Partial Content"
    case .found: "Found"
    case .notModified: "Not Modified"
    case .badRequest: "Bad Request"
    case .forbidden: "Forbidden"
    case .notFound: "Not Found"
    case .methodNotAllowed: "Method Not Allowed"
    case .requestTimeout: "Request Timeout"
    case .conflict: "Conflict"
    case .lengthRequired: "Length Required"
    case .preconditionFailed: "Precondition Failed"
    case .contentTooLarge: "Content Too Large"
    case .uriTooLong: "URI Too Long"
    case .unsupportedMediaType: "Unsupported Media Type"
    case .rangeNotSatisfiable: "Range Not Satisfiable"
    case .unprocessableContent: "Unprocessable Content"
    case .tooManyRequests: "Too Many Requests"
    case .headerFieldsTooLarge: "Request Header Fields Too Large"
    case .internalServerError: "Internal Server Error"
    case .notImplemented: "Not Implemented"
    case .badGateway: "Bad Gateway"
    case .serviceUnavailable: "Service Unavailable"
    case .versionNotSupported: "HTTP Version Not Supported"
    case .insufficientStorage: "Insufficient Storage"
    }
  }
}
