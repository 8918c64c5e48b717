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
  var ids: TrackIDs?
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
    ids = Self.ids(list)
  }

  /// The names that GStreamer gives to MusicBrainz's tags (GStreamer, "GstTag").
  private static func ids(_ list: UnsafePointer<GstTagList>) -> TrackIDs? {
    var ids = TrackIDs(
      recording: string(list, "musicbrainz-trackid"), release: string(list, "musicbrainz-albumid"),
      track: string(list, "musicbrainz-releasetrackid"), isrc: string(list, "isrc"))
    for index in 0..<min(gst_tag_list_get_tag_size(list, "musicbrainz-artistid"), 8) {
      var text: UnsafePointer<gchar>?
      if gst_tag_list_peek_string_index(list, "musicbrainz-artistid", index, &text) != 0, let text {
        ids.artists.append(String(String(cString: text).unicodeScalars.prefix(64)))
      }
    }
    var number: guint = 0
    if gst_tag_list_get_uint(list, "track-number", &number) != 0 { ids.number = Int(number) }
    return ids == TrackIDs() ? nil : ids
  }

  private static func string(_ list: UnsafePointer<GstTagList>, _ name: String) -> String? {
    var value: UnsafeMutablePointer<gchar>?
    guard gst_tag_list_get_string(list, name, &value) != 0, let value else { return nil }
    defer { g_free(value) }
    // Stations may send anything; a title is a line, not a book. One character may have any number of marks.
    return String(String(cString: value).unicodeScalars.prefix(1024))
  }
}
