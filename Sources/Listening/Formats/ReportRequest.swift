/// A call of a server: a POST.
public struct ReportRequest: Sendable, Hashable {
  public var url: String
  /// Header fields besides those that every request has. They may hold a token.
  public var fields: [(name: String, value: String)]
  public var body: [UInt8]

  public init(url: String, fields: [(name: String, value: String)] = [], body: [UInt8]) {
    self.url = url
    self.fields = fields
    self.body = body
  }

  public static func == (left: ReportRequest, right: ReportRequest) -> Bool {
    left.url == right.url && left.body == right.body
      && left.fields.elementsEqual(right.fields) { $0 == $1 }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    hasher.combine(body)
  }

  /// What the log may show of it: nothing of tokens and sessions.
  public var shown: String {
    let text = String(decoding: body.prefix(4000), as: UTF8.self)
    guard fields.contains(where: { $0 == Self.form }) else { return text }
    let secrets = ["api_key=", "sk=", "api_sig=", "token="]
    return text.split(separator: "&").filter { part in !secrets.contains { part.hasPrefix($0) } }
      .joined(separator: "&")
  }

  static let json = (name: "Content-Type", value: "application/json")
  static let form = (name: "Content-Type", value: "application/x-www-form-urlencoded")
}

/// A report, and when it was.
public struct DatedReport: Sendable, Hashable {
  public var record: ReportRecord
  /// Milliseconds since 1970; nil while nobody knows.
  public var date: Int64?

  public init(_ record: ReportRecord, date: Int64?) {
    self.record = record
    self.date = date
  }

  /// Seconds since 1970.
  var seconds: Int? { date.map { Int(clamping: $0 / 1000) } }
}

/// Who reports.
public struct ReportSender: Sendable, Hashable {
  public static let application = "Vireo"
  /// The version of Vireo.
  public var version: String
  /// What the owner calls the place, `[reports] site`; empty for nothing.
  public var site: String

  public init(version: String, site: String = "") {
    self.version = version
    self.site = site
  }
}

/// What a server has answered.
public struct ReportAnswer: Sendable, Hashable {
  public var status: Int
  /// Names in lower case.
  public var fields: [String: String]
  /// Its beginning.
  public var body: [UInt8]

  public init(status: Int, fields: [String: String] = [:], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// What most servers mean by their status; what is left over is a failure.
  var verdict: ReportVerdict {
    switch status {
    case 200...299: .accepted
    case 429: .limited(ReportVerdict.seconds(fields["x-ratelimit-reset-in"] ?? fields["retry-after"]))
    case 503: ReportVerdict.seconds(fields["retry-after"]).map { .limited($0) } ?? .failed("it answers 503")
    case 300...399:
      .failed("it redirects (\(status)); write the address that it leads to into the configuration")
    default: .failed("it answers \(status)")
    }
  }
}
