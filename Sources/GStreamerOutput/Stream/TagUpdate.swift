import CGStreamer
import Player

/// New tags of a stream; what a tag list doesn't mention is nil.
struct TagUpdate: Equatable {
  var title: String?
  var artist: String?
  var album: String?
  var station: String?
  /// Bits per second, as the file says of itself.
  var nominalBitRate: Int?
  /// Bits per second, as counted so far.
  var bitRate: Int?
  var picture: EmbeddedPicture?
}

extension TagUpdate {
  /// - Parameter pictures: what reads the picture; nil for none.
  init(_ list: UnsafePointer<GstTagList>, pictures: PictureTag?) {
    title = Self.string(list, GST_TAG_TITLE)
    artist = Self.string(list, GST_TAG_ARTIST)
    album = Self.string(list, GST_TAG_ALBUM)
    station = Self.string(list, GST_TAG_ORGANIZATION)
    var rate: guint = 0
    if gst_tag_list_get_uint(list, GST_TAG_NOMINAL_BITRATE, &rate) != 0, rate > 0 {
      nominalBitRate = Int(rate)
    }
    if gst_tag_list_get_uint(list, GST_TAG_BITRATE, &rate) != 0 { bitRate = Int(rate) }
    picture = pictures?.picture(in: list)
  }

  private static func string(_ list: UnsafePointer<GstTagList>, _ name: String) -> String? {
    var value: UnsafeMutablePointer<gchar>?
    guard gst_tag_list_get_string(list, name, &value) != 0, let value else { return nil }
    defer { g_free(value) }
    // Stations may send anything; a title is a line, not a book. One character may have any number of marks.
    return String(String(cString: value).unicodeScalars.prefix(1024))
  }
}
