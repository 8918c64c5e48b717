import HTTP
import NIOCore
import Uploads

/// The head of the answer to a request for a song, and the bytes that follow it.
struct SongAnswer: Sendable {
  /// Seconds that a reader may take nothing, as one does that has paused; then it has to ask again for the rest.
  static let readerSeconds = 600
  /// What DLNA's devices want to know: positions in bytes can be asked for, and the content isn't converted.
  private static let features =
    "DLNA.ORG_OP=01;DLNA.ORG_CI=0;DLNA.ORG_FLAGS=01700000000000000000000000000000"

  var response: HTTPResponse
  /// Nil if nothing follows.
  var body: Range<Int>?

  init(to head: RequestHead, _ song: UploadedSong) {
    let tag = "\"\(song.key)\""
    var fields = PageFields.security
    fields += [HTTPField("ACCEPT-RANGES", "bytes"), HTTPField("ETAG", tag)]
    if head.fields.first("getcontentfeatures.dlna.org") == "1" {
      fields.append(HTTPField("contentFeatures.dlna.org", Self.features))
    }
    if let mode = head.fields.first("transfermode.dlna.org"), ["Streaming", "Background"].contains(mode) {
      fields.append(HTTPField("transferMode.dlna.org", mode))
    }
    let isSame = head.fields.first("if-range").map { $0 == tag } ?? true
    let part: Range<Int>
    let status: HTTPStatus
    switch ByteRange(isSame ? head.fields.first("range") : nil, size: Int64(song.bytes)) {
    case .whole: (status, part) = (.ok, 0..<song.bytes)
    case .part(let asked):
      (status, part) = (.partialContent, Int(asked.lowerBound)..<Int(asked.upperBound))
      fields.append(
        HTTPField("CONTENT-RANGE", "bytes \(asked.lowerBound)-\(asked.upperBound - 1)/\(song.bytes)"))
    case .none:
      fields.append(HTTPField("CONTENT-RANGE", "bytes */\(song.bytes)"))
      response = HTTPResponse(.rangeNotSatisfiable, fields: fields)
      return
    }
    response = HTTPResponse(status, contentType: song.type, body: ByteBuffer(), fields: fields)
    response.length = part.count
    response.readerSeconds = Self.readerSeconds
    body = head.method == "GET" ? part : nil
  }
}
