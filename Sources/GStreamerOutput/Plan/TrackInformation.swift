import Player
import Text

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
  /// What is wrong with the server.
  private(set) var faults = ServerFaults()
  /// HTTP status of the server's answer; 0 before there is one.
  var httpStatus = 0
  /// The address of the part (HLS, DASH) that was asked for last.
  var part: String?
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

  /// Merges new tags. True if something changed.
  mutating func merge(_ update: TagUpdate) -> Bool {
    let before = (tags, bitRate, readRate)
    tags.title = update.title ?? tags.title
    tags.artist = update.artist ?? tags.artist
    tags.album = update.album ?? tags.album
    tags.station = update.station ?? tags.station
    tags.picture = update.picture ?? tags.picture
    if let ids = update.ids { tags.ids = tags.ids?.updated(by: ids) ?? ids }
    if let rate = update.nominalBitRate {
      // An average that drifts slowly isn't worth reporting.
      readRate = max(readRate, rate)
      if abs(rate - bitRate) * 10 > bitRate { bitRate = rate }
    } else if let rate = update.bitRate {
      readRate = max(readRate, rate)
      if bitRate == 0 { bitRate = rate }
    }
    return before != (tags, bitRate, readRate)
  }

  mutating func merge(_ found: ServerFaults) {
    faults.certificate = found.certificate ?? faults.certificate
    faults.speaksOtherwise = found.speaksOtherwise
  }

  /// The server calls itself a station, and doesn't state a length.
  var isStation: Bool { hasStationFields && contentLength == nil }

  /// Reads the server's answer.
  mutating func read(_ answer: ServerAnswer) {
    if let status = answer.status { httpStatus = status }
    guard let fields = answer.fields else { return }
    for (name, value) in fields {
      switch name.lowercased() {
      case "content-type": contentType = value
      case "content-length": contentLength = Int(value).flatMap { $0 > 0 ? $0 : nil }
      case "accept-ranges": acceptsRanges = value.lowercased().includes("bytes")
      case "icy-name", "icy-metaint", "icy-br": hasStationFields = true
      case "location": redirect = value
      case "content-range": acceptsRanges = true
      case "contentfeatures.dlna.org":
        if value.includes("DLNA.ORG_OP=01") || value.includes("DLNA.ORG_OP=11") { acceptsRanges = true }
      default: break
      }
    }
    if httpStatus == 206 { acceptsRanges = true }
  }
}
