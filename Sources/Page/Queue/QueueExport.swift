import HTTP
import NIOCore
import Player
import Services

/// Writes the queue as an extended M3U playlist, with the addresses whole, as OpenHome's ReadList tells them: without
/// them nobody could play it.
struct QueueExport: BodyRest {
  static let contentType = "audio/x-mpegurl; charset=utf-8"
  /// Bytes of one piece.
  static let usualLength = 64 << 10
  private static let head = "#EXTM3U\n"

  private let tracks: PlaylistTracks
  private var next = 0

  init(_ tracks: PlaylistTracks) { self.tracks = tracks }

  /// - Parameter name: of the list: its file is called so.
  static func response(_ tracks: PlaylistTracks, name: String) -> HTTPResponse {
    var response = HTTPResponse(
      .ok, contentType: contentType, body: ByteBuffer(string: head + "#PLAYLIST:\(line(name))\n"),
      fields: PageFields.security + [
        PageFields.uncached, HTTPField("CONTENT-DISPOSITION", #"attachment; filename="queue.m3u8""#),
      ])
    response.rest = QueueExport(tracks)
    return response
  }

  mutating func write(to body: inout ByteBuffer) -> Bool {
    let before = body.readableBytes
    let ids = tracks.ids
    while next < ids.count {
      guard body.readableBytes - before < Self.usualLength else { return true }
      if let media = tracks[ids[next]] { Self.write(media, to: &body) }
      next += 1
    }
    return false
  }

  private static func write(_ media: Media, to body: inout ByteBuffer) {
    let shown = ShownTrack(media)
    let seconds = media.durationHint.map { String(Int($0.seconds.rounded())) } ?? "-1"
    let title = [shown.artist, shown.title].compactMap(\.self).joined(separator: " - ")
    body.writeString("#EXTINF:\(seconds),\(line(title))\n\(media.uri)\n")
  }

  /// The text in one line. `URIPolicy` has seen to that for addresses.
  private static func line(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
    return String(String.UnicodeScalarView(scalars))
  }
}
