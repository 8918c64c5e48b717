import CGStreamer
import Player

/// What messages and caps have revealed about a track so far.
struct TrackInformation {
  var codec: CodecDetails?
  var bitRate = 0
  /// Bits per second of the whole file, for codecs that don't state theirs; 0 while unknown.
  var averageBitRate = 0
  /// The highest average bit rate so far: a track that begins quietly needs more later.
  var readRate = 0
  var tags = StreamTags()
  /// `Content-Type` of the server's answer.
  var contentType: String?
  /// What is wrong with the server's certificate.
  var certificateFault: CertificateFault?
  /// HTTP status of the server's answer; 0 before there is one.
  var httpStatus = 0
  /// The address to which the server redirects.
  var redirect: String?
  /// The server supports range requests.
  var acceptsRanges = false
  /// The length that the server stated, in bytes; nil if it didn't.
  var contentLength: Int?
  private var hasStationFields = false
  /// The plugin that is missing, according to GStreamer.
  var missing: MissingPlugin?

  /// The stream's details for control points.
  func details(_ format: StreamFormat?) -> StreamDetails {
    let isLossless = codec?.isLossless ?? false
    let depth = isLossless ? codec?.bitDepth ?? format?.depth ?? 0 : 0
    let sampleRate = codec?.sampleRate ?? format?.rate ?? 0
    var rate = bitRate
    // Without compression, the rate follows from the format.
    if rate == 0, codec?.isPacked == false, let format { rate = sampleRate * format.channels * depth }
    if rate == 0 { rate = averageBitRate }
    return StreamDetails(
      codecName: codec?.name ?? "", isLossless: isLossless, bitRate: rate, bitDepth: depth,
      sampleRate: sampleRate, channels: format?.channels ?? 0)
  }

  /// Merges the tags in `list`. True if something changed.
  mutating func merge(_ list: UnsafePointer<GstTagList>) -> Bool {
    let before = (tags, bitRate, readRate)
    tags.title = Self.string(list, GST_TAG_TITLE) ?? tags.title
    tags.artist = Self.string(list, GST_TAG_ARTIST) ?? tags.artist
    tags.album = Self.string(list, GST_TAG_ALBUM) ?? tags.album
    tags.station = Self.string(list, GST_TAG_ORGANIZATION) ?? tags.station
    var rate: guint = 0
    if gst_tag_list_get_uint(list, GST_TAG_NOMINAL_BITRATE, &rate) != 0, rate > 0 {
      // An average that drifts slowly isn't worth reporting.
      readRate = max(readRate, Int(rate))
      if abs(Int(rate) - bitRate) * 10 > bitRate { bitRate = Int(rate) }
    } else if gst_tag_list_get_uint(list, GST_TAG_BITRATE, &rate) != 0 {
      readRate = max(readRate, Int(rate))
      if bitRate == 0 { bitRate = Int(rate) }
    }
    return before != (tags, bitRate, readRate)
  }

  /// The server calls itself a station, and doesn't state a length.
  var isStation: Bool { hasStationFields && contentLength == nil }

  /// Reads the headers of the server's answer from a message of the HTTP source.
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
      case "content-length": contentLength = Int(value).flatMap { $0 > 0 ? $0 : nil }
      case "accept-ranges": acceptsRanges = value.lowercased().contains("bytes")
      case "icy-name", "icy-metaint", "icy-br": hasStationFields = true
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
    // Stations may send anything; a title is a line, not a book. One character may have any number of marks.
    return String(String(cString: value).unicodeScalars.prefix(1024))
  }
}
