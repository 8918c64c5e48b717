import Player
import Text

/// Raw PCM announced by its MIME type (`audio/L16;rate=44100;channels=2`, RFC 3551: big-endian, signed).
struct RawPCM: Hashable {
  /// 8, 16, 24 or 32. 20 isn't supported, since such samples don't fill whole bytes.
  var bits: Int
  var rate: Int
  var channels: Int

  init?(contentType: String?) {
    guard let contentType else { return nil }
    let parts = contentType.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
    switch parts.first {
    case "audio/l8": bits = 8
    case "audio/l16": bits = 16
    case "audio/l24": bits = 24
    case "audio/l32": bits = 32
    default: return nil
    }
    rate = 44100
    channels = 1
    var saysRate = false
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, let value = Int(pair[1].filter { $0 != "\"" }) else { continue }
      if pair[0] == "rate" { (rate, saysRate) = (value, true) }
      if pair[0] == "channels" { channels = value }
    }
    // DLNA requires both. Without either, assume a CD's.
    if !saysRate, channels == 1, !contentType.lowercased().includes("channels") { channels = 2 }
    guard (4_000...768_000).contains(rate), (1...8).contains(channels) else { return nil }
  }

  /// Any raw format, for a pipeline that never runs.
  static let anything = RawPCM(contentType: "audio/L16;rate=44100;channels=2")

  /// Name of the sample format for rawaudioparse.
  var sampleName: String { bits == 8 ? "s8" : "s\(bits)be" }
}
