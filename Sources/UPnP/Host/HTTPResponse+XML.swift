import HTTP

extension HTTPResponse {
  static let xmlType = "text/xml; charset=\"utf-8\""
}
