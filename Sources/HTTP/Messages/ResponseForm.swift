/// What a request says about the form of its response.
struct ResponseForm: Sendable, Hashable {
  /// The request was HEAD; the content length is the same as for GET.
  var hasNoBody = false
  /// The peer uses HTTP/1.0. If the connection is kept, the peer has asked for that, and it must be confirmed.
  var isOld = false
  /// The peer wants the connection to be closed after the response.
  var closes = false
}

extension ResponseForm {
  init(_ head: borrowing RequestHead) {
    hasNoBody = head.method == "HEAD"
    isOld = head.minorVersion == 0
    closes = !head.keepsAlive
  }
}
