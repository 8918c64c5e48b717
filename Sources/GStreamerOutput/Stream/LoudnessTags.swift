import CGStreamer
import Glibc

/// What the tags of a track say about its loudness, and the resulting factor. Pure except for reading the tag list.
struct LoudnessTags: Hashable {
  /// Gain in dB, and peak where 1 is full scale.
  struct Level: Hashable {
    var gain: Double?
    var peak: Double?
  }

  var track = Level()
  var album = Level()

  /// ReplayGain's reference level in dB of sound pressure.
  private static let reference = 89.0
  /// ReplayGain aims at -18 LUFS, R128 tags at -23 (RFC 7845, section 5.2.1).
  private static let r128Difference = 5.0

  /// Merges the tags in `list`; a value that it doesn't mention stays.
  mutating func merge(_ list: UnsafePointer<GstTagList>) {
    let offset = Self.reference - (Self.number(list, GST_TAG_REFERENCE_LEVEL) ?? Self.reference)
    if let gain = Self.number(list, GST_TAG_TRACK_GAIN) { track.gain = Self.valid(gain + offset) }
    if let gain = Self.number(list, GST_TAG_ALBUM_GAIN) { album.gain = Self.valid(gain + offset) }
    if let peak = Self.number(list, GST_TAG_TRACK_PEAK) { track.peak = peak > 0 ? peak : nil }
    if let peak = Self.number(list, GST_TAG_ALBUM_PEAK) { album.peak = peak > 0 ? peak : nil }
    for index in 0..<gst_tag_list_get_tag_size(list, GST_TAG_EXTENDED_COMMENT) {
      var text: UnsafePointer<gchar>?
      if gst_tag_list_peek_string_index(list, GST_TAG_EXTENDED_COMMENT, index, &text) != 0, let text {
        read(comment: String(cString: text))
      }
    }
  }

  /// A comment of an Opus file that GStreamer has no name for (`R128_TRACK_GAIN=-1280`, in 1/256 dB).
  mutating func read(comment: String) {
    let parts = comment.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, let value = Int16(parts[1]) else { return }
    let gain = Self.valid(Double(value) / 256 + Self.r128Difference)
    switch parts[0].uppercased() {
    case "R128_TRACK_GAIN": track.gain = gain
    case "R128_ALBUM_GAIN": album.gain = gain
    default: break
    }
  }

  /// The factor for the samples.
  func factor(_ wish: ReplayGain) -> Double {
    let chosen: Level
    switch wish.mode {
    case .off: return 1
    case .track: chosen = track.gain != nil ? track : album
    case .album: chosen = album.gain != nil ? album : track
    }
    var gain = (chosen.gain ?? wish.fallback) + wish.preamp
    if wish.preventsClipping {
      gain = min(gain, -20 * log10(chosen.gain == nil ? 1 : chosen.peak ?? 1))
    }
    return gain == 0 ? 1 : pow(10, min(max(gain, -90), 60) / 20)
  }

  /// No music is that far off; a damaged tag mustn't harm ears or loudspeakers.
  private static func valid(_ gain: Double) -> Double? { abs(gain) < 60 ? gain : nil }

  private static func number(_ list: UnsafePointer<GstTagList>, _ name: String) -> Double? {
    var value = 0.0
    guard gst_tag_list_get_double(list, name, &value) != 0, value.isFinite else { return nil }
    return value
  }
}
