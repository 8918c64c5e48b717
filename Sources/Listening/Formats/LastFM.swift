import JSON

/// Last.fm's API 2.0, which others speak as well (Last.fm, "Scrobbling 2.0", "Authentication").
public enum LastFM {
  public static let address = "https://ws.audioscrobbler.com/2.0/"

  /// Who we are to the server. All of it but the key is secret.
  public struct Account: Sendable, Hashable {
    public var url: String
    public var key: String
    public var secret: String
    /// The user's session; nil before the login.
    public var session: String?

    public init(url: String = LastFM.address, key: String, secret: String, session: String? = nil) {
      self.url = url
      self.key = key
      self.secret = secret
      self.session = session
    }
  }

  // MARK: - Reports

  /// The call for `reports`, which have artist and title: what plays now, or at most 50 listens that count.
  public static func request(_ reports: [DatedReport], account: Account) -> ReportRequest {
    guard let first = reports.first, first.record.kind != .now else {
      return signed("track.updateNowPlaying", reports.first.map { parameters($0, "") } ?? [], account)
    }
    let all = reports.enumerated().flatMap { index, report in
      parameters(report, "[\(index)]") + [
        ("timestamp[\(index)]", String(report.seconds ?? 0)),
        ("chosenByUser[\(index)]", report.record.isStation ? "0" : "1"),
      ]
    }
    return signed("track.scrobble", all, account)
  }

  private static func parameters(_ report: DatedReport, _ place: String) -> [(String, String)] {
    let track = report.record.track
    return [
      ("artist", track.artist), ("track", track.title), ("album", track.album),
      ("trackNumber", track.number.map(String.init)),
      ("duration", track.duration.map { String($0.components.seconds) }), ("mbid", track.ids.recording),
    ].compactMap { name, value in value.map { (name + place, $0) } }
  }

  /// What an answer means. Scrobbles that it ignores, and says why, have arrived.
  public static func verdict(_ answer: ReportAnswer) -> ReportVerdict {
    guard let code = error(answer.body) else {
      guard case .accepted = answer.verdict else { return answer.verdict }
      return (try? JSONValue(reading: answer.body, limits: limits)) == nil
        ? .failed("its answer isn't JSON") : .accepted
    }
    switch code {
    // No such session; not allowed; no such key; wrong signature; key suspended.
    case 4, 9, 10, 13, 26: return .refused(.token)
    // Trouble of its own; offline; unavailable; limit of calls.
    case 8, 11, 16: return .failed("it answers error \(code)")
    case 29: return .limited(ReportVerdict.seconds(answer.fields["retry-after"]))
    default: return .malformed
    }
  }

  // MARK: - Login

  /// Asks for a token, which the user then allows on a page of the server.
  public static func tokenRequest(_ account: Account) -> ReportRequest {
    signed("auth.getToken", [], account)
  }

  /// The page on which the user allows it.
  public static func page(token: String, account: Account) -> String {
    // Others than Last.fm have the page beside their API.
    let host = account.url.hasPrefix(address) ? "https://www.last.fm" : origin(of: account.url)
    return "\(host)/api/auth/?api_key=\(FormText.escaped(account.key))&token=\(FormText.escaped(token))"
  }

  private static func origin(of url: String) -> String {
    let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.prefix(3).joined(separator: "/")
  }

  /// Asks for the session that belongs to a token.
  public static func sessionRequest(token: String, _ account: Account) -> ReportRequest {
    signed("auth.getSession", [("token", token)], account)
  }

  public enum LoginAnswer: Sendable, Hashable {
    case token(String)
    case session(key: String, user: String)
    /// The user hasn't allowed it yet.
    case notYet
    /// In plain words.
    case refused(String)
  }

  /// Reads the answer to ``tokenRequest(_:)`` or ``sessionRequest(token:_:)``.
  public static func login(_ answer: ReportAnswer) -> LoginAnswer {
    if let code = error(answer.body) {
      let words = (try? JSONValue(reading: answer.body, limits: limits))?.text("message") ?? ""
      return code == 14 ? .notYet : .refused("error \(code): \(ReportedTrack(title: words).title ?? "")")
    }
    guard let json = try? JSONValue(reading: answer.body, limits: limits) else {
      return .refused("it answers \(answer.status), and not in JSON")
    }
    if let session = json["session"], let key = session.text("key"), isWord(key) {
      return .session(key: key, user: ReportedTrack(title: session.text("name")).title ?? "")
    }
    if let token = json.text("token"), isWord(token) { return .token(token) }
    return .refused("it answers \(answer.status), without a token or a session")
  }

  private static func isWord(_ text: String) -> Bool {
    (1...200).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
  }

  // MARK: - Calls

  private static let limits = JSONLimits(bytes: 64 * 1024, depth: 8, values: 4000)

  private static func error(_ body: [UInt8]) -> Int? {
    (try? JSONValue(reading: body, limits: limits))?.number("error")
  }

  private static func signed(
    _ method: String, _ parameters: [(String, String)], _ account: Account
  ) -> ReportRequest {
    var all = parameters + [("method", method), ("api_key", account.key)]
    if let session = account.session, !method.hasPrefix("auth.") { all.append(("sk", session)) }
    all.append(("api_sig", signature(all, secret: account.secret)))
    // Not a part of what is signed.
    all.append(("format", "json"))
    return ReportRequest(
      url: account.url, fields: [ReportRequest.form],
      body: Array(
        all.map { "\(FormText.escaped($0))=\(FormText.escaped($1))" }.joined(separator: "&").utf8))
  }

  /// The MD5 of all names and values, sorted by the bytes of the names, and the secret behind them.
  static func signature(_ parameters: [(String, String)], secret: String) -> String {
    let sorted = parameters.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    return MD5.hex((sorted.map { $0.0 + $0.1 }.joined() + secret).utf8)
  }
}

/// Text in a form (URL Standard, "application/x-www-form-urlencoded").
public enum FormText {
  private static let digits = Array("0123456789ABCDEF".utf8)

  public static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2a, 0x2d, 0x2e, 0x5f: bytes.append(byte)
      case 0x20: bytes.append(UInt8(ascii: "+"))
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
