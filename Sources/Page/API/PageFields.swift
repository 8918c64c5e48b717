import HTTP

/// The header fields of every response for a page.
public enum PageFields {
  /// Nothing but what this server serves is loaded, run or sent to.
  public static let contentSecurityPolicy = policy(ancestors: [])

  /// - Parameter ancestors: the origins whose pages may show ours in a frame.
  static func policy(ancestors: [String]) -> String {
    let ancestors = ancestors.isEmpty ? "'none'" : ancestors.joined(separator: " ")
    return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
      + "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors \(ancestors); "
      + "require-trusted-types-for 'script'"
  }

  /// For all responses, whatever they have.
  public static let security = [
    HTTPField("CONTENT-SECURITY-POLICY", contentSecurityPolicy),
    HTTPField("X-CONTENT-TYPE-OPTIONS", "nosniff"),
    HTTPField("REFERRER-POLICY", "no-referrer"),
    HTTPField("CROSS-ORIGIN-RESOURCE-POLICY", "same-origin"),
  ]

  /// For documents beside that. Browsers heed it over TLS and on this host alone, where they send `Sec-Fetch-Mode` too; elsewhere
  /// they'd only complain of it on the console.
  ///
  /// - Parameter ancestors: the origins whose pages may show it in a frame.
  static func document(for head: RequestHead, ancestors: [String] = []) -> [HTTPField] {
    var fields = security
    fields[0].value = policy(ancestors: ancestors)
    return head.fields.all("sec-fetch-mode").isEmpty
      ? fields : fields + [HTTPField("CROSS-ORIGIN-OPENER-POLICY", "same-origin")]
  }

  /// For what changes.
  public static let uncached = HTTPField("CACHE-CONTROL", "no-store")
}
