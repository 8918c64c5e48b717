import HTTP

/// The answer to a request for a file.
struct FileAnswer: Equatable {
  var status: Status
  var fields: [HTTPField] = []
  /// The part of the file that follows the head; nil for none.
  var body: Range<Int64>?
  var closes = false

  enum Status: Equatable {
    case whole, part, noSuchPart, notFound, notAllowed

    var line: String {
      switch self {
      case .whole: "200 OK"
      case .part: "206 Partial Content"
      case .noSuchPart: "416 Range Not Satisfiable"
      case .notFound: "404 Not Found"
      case .notAllowed: "405 Method Not Allowed"
      }
    }
  }

  /// Answers a request, whose path has been looked up.
  init(to head: RequestHead, file: ServedFile?) {
    closes = !head.keepsAlive
    guard let file else {
      status = .notFound
      fields = [HTTPField("CONTENT-LENGTH", "0")]
      return
    }
    guard head.method == "GET" || head.method == "HEAD" else {
      status = .notAllowed
      fields = [HTTPField("ALLOW", "GET, HEAD"), HTTPField("CONTENT-LENGTH", "0")]
      return
    }
    let tag = "\"\(String(file.size, radix: 16))-\(String(file.changed, radix: 16))\""
    let isSame = head.fields.first("if-range").map { $0 == tag } ?? true
    let part: Range<Int64>
    switch ByteRange(isSame ? head.fields.first("range") : nil, size: file.size) {
    case .whole: (status, part) = (.whole, 0..<file.size)
    case .part(let asked):
      (status, part) = (.part, asked)
      fields.append(
        HTTPField("CONTENT-RANGE", "bytes \(asked.lowerBound)-\(asked.upperBound - 1)/\(file.size)"))
    case .none:
      status = .noSuchPart
      fields = [HTTPField("CONTENT-RANGE", "bytes */\(file.size)"), HTTPField("CONTENT-LENGTH", "0")]
      return
    }
    fields += [
      HTTPField("CONTENT-TYPE", file.contentType), HTTPField("CONTENT-LENGTH", "\(part.count)"),
      HTTPField("ACCEPT-RANGES", "bytes"), HTTPField("ETAG", tag),
    ]
    if head.fields.first("getcontentfeatures.dlna.org") == "1" {
      fields.append(HTTPField("contentFeatures.dlna.org", ServedFile.features))
    }
    if let mode = head.fields.first("transfermode.dlna.org"), ["Streaming", "Background"].contains(mode) {
      fields.append(HTTPField("transferMode.dlna.org", mode))
    }
    body = head.method == "GET" ? part : nil
  }

  /// The head as it is sent.
  func text(date: String) -> String {
    let lines = fields + [HTTPField("DATE", date)] + (closes ? [HTTPField("CONNECTION", "close")] : [])
    return "HTTP/1.1 \(status.line)\r\n" + lines.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
  }
}
