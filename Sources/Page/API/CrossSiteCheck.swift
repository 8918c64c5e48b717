import HTTP

/// Refuses what a page of another site may make a browser send (cross-site request forgery).
///
/// A form of any site reaches us, even past the browsers' own guards of local networks. What gives it away is its `Origin`,
/// and that no form sends `application/json`. `Sec-Fetch-Site` is sent only over TLS and to localhost: a help, never a proof.
enum CrossSiteCheck {
  /// The reason to refuse a request that changes something; nil when it isn't known to come from elsewhere.
  static func refusal(of head: RequestHead) -> Problem? {
    for origin in head.fields.all("origin") where !isOwn(origin, host: head.host) {
      return Problem(
        "foreign-origin", .forbidden,
        "A page of another host (\(origin.prefix(100))) has sent this; only this speaker's own page may.")
    }
    for site in head.fields.all("sec-fetch-site") where site != "same-origin" && site != "none" {
      return Problem("foreign-origin", .forbidden, "A page of another site has sent this.")
    }
    return nil
  }

  /// Whether `origin` is where `host` is. The scheme doesn't count: behind a proxy with TLS it is another one.
  static func isOwn(_ origin: String, host: String?) -> Bool {
    guard let host, let own = Authority(host) else { return false }
    let ports = ["http://": 80, "https://": 443]
    guard let scheme = ports.keys.first(where: { origin.lowercased().hasPrefix($0) }),
      let usual = ports[scheme], let sender = Authority(origin.dropFirst(scheme.count))
    else { return false }
    return sender.host.lowercased() == own.host.lowercased() && (sender.port ?? usual) == (own.port ?? usual)
  }

  /// Refuses a body of a type that a form can send; nil for a file.
  static func refusal(ofFile head: RequestHead) -> Problem? {
    let types = head.fields.all("content-type")
    let type = types.first.map(mediaType) ?? ""
    guard types.count == 1, type == "application/octet-stream" || type.hasPrefix("audio/") else {
      return Problem(
        "not-a-file", .unsupportedMediaType,
        "The body has to be a file: Content-Type: application/octet-stream.")
    }
    return nil
  }

  private static func mediaType(_ field: String) -> String {
    field.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
  }

  /// Refuses a body that isn't JSON; nil when there is none, or it is.
  static func refusal(ofBody head: RequestHead) -> Problem? {
    let types = head.fields.all("content-type")
    // An empty form has no body, but a type.
    let hasBody =
      head.fields.contains("transfer-encoding") || (head.fields.first("content-length") ?? "0") != "0"
      || !types.isEmpty
    guard hasBody else { return nil }
    guard types.count == 1, types.first.map(mediaType) == "application/json" else {
      return Problem(
        "not-json", .unsupportedMediaType, "The body has to be JSON: Content-Type: application/json.")
    }
    return nil
  }
}
