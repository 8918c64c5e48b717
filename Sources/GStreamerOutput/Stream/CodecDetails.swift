import CGStreamer
import Player

/// The codec of a stream, from its caps.
struct CodecDetails: Hashable, Sendable {
  var name: String
  var isLossless: Bool
  /// Bits per sample of the recording, if the caps say so; decoders may put them into wider samples.
  var bitDepth: Int?
  /// Samples per second and channel of the recording, if the decoder's output has another rate.
  var sampleRate: Int?

  static let pcm = CodecDetails(name: "PCM", isLossless: true)

  /// Whether the recording is compressed.
  var isPacked: Bool { !["PCM", "DSD"].contains(name) }

  init(name: String, isLossless: Bool) {
    self.name = name
    self.isLossless = isLossless
  }

  /// What a decoder decodes that accepts `caps`.
  init?(caps: UnsafeMutablePointer<GstCaps>?) {
    guard let caps, let structure = gst_caps_get_structure(caps, 0),
      let media = gst_structure_get_name(structure).map({ String(cString: $0) })
    else { return nil }
    var version: gint = 0
    gst_structure_get_int(structure, "mpegversion", &version)
    var layer: gint = 3
    gst_structure_get_int(structure, "layer", &layer)
    switch media {
    case "audio/mpeg" where version == 1: self.init(name: "MP\(layer)", isLossless: false)
    case "audio/mpeg": self.init(name: "AAC", isLossless: false)
    case "audio/x-wma":
      var generation: gint = 0
      gst_structure_get_int(structure, "wmaversion", &generation)
      self.init(name: generation == 4 ? "WMA Lossless" : "WMA", isLossless: generation == 4)
    default:
      guard let known = Self.names[media] else {
        let short = media.split(separator: "/").last.map(String.init) ?? media
        self.init(
          name: (short.hasPrefix("x-") ? String(short.dropFirst(2)) : short).uppercased(),
          isLossless: false)
        return
      }
      self = known
    }
    if media == "audio/x-dsd" {
      readBits(structure)
    } else {
      bitDepth = ["samplesize", "depth"].lazy.compactMap { Self.depth(structure, $0) }.first
    }
  }

  /// DSD has one bit per sample. The rate in its caps counts bytes.
  private mutating func readBits(_ structure: UnsafePointer<GstStructure>) {
    bitDepth = 1
    var rate: gint = 0
    if gst_structure_get_int(structure, "rate", &rate) != 0, rate > 0 { sampleRate = Int(rate) * 8 }
  }

  /// Files may claim anything; no recording has more than 64 bits.
  private static func depth(_ structure: UnsafePointer<GstStructure>, _ field: String) -> Int? {
    var value: gint = 0
    guard gst_structure_get_int(structure, field, &value) != 0, (1...64).contains(value) else { return nil }
    return Int(value)
  }

  private static let names: [String: CodecDetails] = [
    "audio/x-raw": .pcm,
    "audio/x-flac": CodecDetails(name: "FLAC", isLossless: true),
    "audio/x-alac": CodecDetails(name: "ALAC", isLossless: true),
    "audio/x-vorbis": CodecDetails(name: "Vorbis", isLossless: false),
    "audio/x-opus": CodecDetails(name: "Opus", isLossless: false),
    "audio/x-wavpack": CodecDetails(name: "WavPack", isLossless: true),
    "audio/x-ape": CodecDetails(name: "Monkey's Audio", isLossless: true),
    "audio/x-ffmpeg-parsed-ape": CodecDetails(name: "Monkey's Audio", isLossless: true),
    "audio/x-tta": CodecDetails(name: "TTA", isLossless: true),
    "audio/x-dsd": CodecDetails(name: "DSD", isLossless: true),
    "audio/x-ac3": CodecDetails(name: "AC-3", isLossless: false),
    "audio/x-eac3": CodecDetails(name: "E-AC-3", isLossless: false),
    "audio/x-dts": CodecDetails(name: "DTS", isLossless: false),
    "audio/x-alaw": CodecDetails(name: "A-law", isLossless: false),
    "audio/x-mulaw": CodecDetails(name: "µ-law", isLossless: false),
  ]
}
