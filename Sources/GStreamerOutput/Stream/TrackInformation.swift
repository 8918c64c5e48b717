import CGStreamer
import Player

/// What messages and caps have told of a track so far.
struct TrackInformation {
  var codec: CodecDetails?
  var bitRate = 0
  var tags = StreamTags()
  /// `Content-Type` of the server's answer.
  var contentType: String?
  /// Status of the server's answer; 0 while there is none.
  var httpStatus = 0
  /// Where the server sends us instead.
  var redirect: String?
  /// The server says that it can send parts.
  var acceptsRanges = false
  /// What GStreamer says is missing.
  var missing: MissingPlugin?

  /// What a control point is told about the stream.
  func details(_ format: StreamFormat?) -> StreamDetails {
    let isLossless = codec?.isLossless ?? false
    let depth = isLossless ? format?.depth ?? 0 : 0
    var rate = bitRate
    if rate == 0, codec == .pcm, let format { rate = format.rate * format.channels * depth }
    return StreamDetails(
      codecName: codec?.name ?? "", isLossless: isLossless, bitRate: rate, bitDepth: depth,
      sampleRate: format?.rate ?? 0, channels: format?.channels ?? 0)
  }

  /// Takes what `list` says. True when something changed.
  mutating func merge(_ list: UnsafePointer<GstTagList>) -> Bool {
    let before = (tags, bitRate)
    tags.title = Self.string(list, GST_TAG_TITLE) ?? tags.title
    tags.artist = Self.string(list, GST_TAG_ARTIST) ?? tags.artist
    tags.album = Self.string(list, GST_TAG_ALBUM) ?? tags.album
    tags.station = Self.string(list, GST_TAG_ORGANIZATION) ?? tags.station
    var rate: guint = 0
    if gst_tag_list_get_uint(list, GST_TAG_NOMINAL_BITRATE, &rate) != 0, rate > 0 {
      // An average that creeps is no news.
      if abs(Int(rate) - bitRate) * 10 > bitRate { bitRate = Int(rate) }
    } else if bitRate == 0, gst_tag_list_get_uint(list, GST_TAG_BITRATE, &rate) != 0 {
      bitRate = Int(rate)
    }
    return before != (tags, bitRate)
  }

  /// Takes what the HTTP source tells of the server's answer.
  mutating func readHeaders(_ structure: UnsafePointer<GstStructure>) {
    var status: guint = 0
    if gst_structure_get_uint(structure, "http-status-code", &status) != 0 { httpStatus = Int(status) }
    guard let value = gst_structure_get_value(structure, "response-headers"),
      let headers = gst_value_get_structure(value)
    else { return }
    for index in 0..<gst_structure_n_fields(headers) {
      guard let field = gst_structure_nth_field_name(headers, guint(index)),
        let text = gst_structure_get_string(headers, field)
      else { continue }
      let value = String(cString: text)
      switch String(cString: field).lowercased() {
      case "content-type": contentType = value
      case "accept-ranges": acceptsRanges = value.lowercased().contains("bytes")
      case "location": redirect = value
      case "content-range": acceptsRanges = true
      case "contentfeatures.dlna.org":
        if value.contains("DLNA.ORG_OP=01") || value.contains("DLNA.ORG_OP=11") { acceptsRanges = true }
      default: break
      }
    }
    if httpStatus == 206 { acceptsRanges = true }
  }

  private static func string(_ list: UnsafePointer<GstTagList>, _ name: String) -> String? {
    var value: UnsafeMutablePointer<gchar>?
    guard gst_tag_list_get_string(list, name, &value) != 0, let value else { return nil }
    defer { g_free(value) }
    // Stations send what they like; a title is a line, not a book.
    return String(String(cString: value).prefix(1024))
  }
}
