import HTTP

/// A parsed SUBSCRIBE or UNSUBSCRIBE (UPnP Device Architecture, "Eventing").
enum SubscriptionRequest: Hashable, Sendable {
  /// A new subscription; `callback` is the header as sent.
  case subscribe(callback: String, timeout: String?)
  case renew(SID, timeout: String?)
  case unsubscribe(SID)

  /// Parses the header fields of a request.
  ///
  /// - Throws: 400 for a SID together with NT or CALLBACK; 412 for anything else that is missing or wrong.
  init(method: String, fields: HeaderFields, sidFormat: SIDFormat = .uuid) throws(HTTPError) {
    let timeout = fields.first("timeout")
    guard let text = fields.first("sid") else {
      guard method == "SUBSCRIBE", let callback = fields.first("callback"), fields.first("nt") == "upnp:event"
      else {
        let isContradiction =
          method == "UNSUBSCRIBE" && (fields.contains("nt") || fields.contains("callback"))
        throw HTTPError(status: isContradiction ? .badRequest : .preconditionFailed)
      }
      self = .subscribe(callback: callback, timeout: timeout)
      return
    }
    guard !fields.contains("nt"), !fields.contains("callback") else { throw HTTPError(status: .badRequest) }
    guard let sid = sidFormat.sid(text) else { throw HTTPError(status: .preconditionFailed) }
    self = method == "SUBSCRIBE" ? .renew(sid, timeout: timeout) : .unsubscribe(sid)
  }
}
