import HTTP
import Kept
import NIOCore
import Player
import Text

/// Writes a list of tracks as a file, in pieces.
struct ListExport: BodyRest {
  /// Bytes of one piece.
  static let usualLength = 64 << 10

  private let text: PlaylistText
  private let count: Int
  private let media: @Sendable (Int) -> Media?
  private var next = 0

  private init(_ text: PlaylistText, count: Int, media: @escaping @Sendable (Int) -> Media?) {
    self.text = text
    self.count = count
    self.media = media
  }

  /// The response that has the list.
  ///
  /// - Parameters:
  ///   - name: of the list.
  ///   - file: of its file, without ending.
  ///   - media: the track at a place, from 0.
  static func response(
    _ format: PlaylistText.Format, name: String, file: String, count: Int,
    media: @escaping @Sendable (Int) -> Media?
  ) -> HTTPResponse {
    let text = PlaylistText(format, name: name)
    var response = HTTPResponse(
      .ok, contentType: format.contentType, body: ByteBuffer(string: text.head),
      fields: PageFields.security + [
        PageFields.uncached,
        HTTPField("CONTENT-DISPOSITION", disposition(file, ending: format.rawValue)),
      ])
    response.rest = ListExport(text, count: count, media: media)
    return response
  }

  mutating func write(to body: inout ByteBuffer) -> Bool {
    let before = body.readableBytes
    while next < count {
      guard body.readableBytes - before < Self.usualLength else { return true }
      if let media = media(next) { body.writeString(text.track(PlaylistDocument.Entry(media))) }
      next += 1
    }
    body.writeString(text.tail)
    return false
  }

  /// The file's name for all browsers, and for those that know more than ASCII (RFC 6266).
  private static func disposition(_ name: String, ending: String) -> String {
    let safe = name.unicodeScalars.map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)) ? scalar : "-"
    }
    let plain = "attachment; filename=\"\(String(String.UnicodeScalarView(safe))).\(ending)\""
    guard name.utf8.contains(where: { $0 >= 0x80 || $0 == 0x20 }) else { return plain }
    return plain + "; filename*=UTF-8''\(PercentEscapes.encoded(name)).\(ending)"
  }
}
