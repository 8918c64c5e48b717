import SCPD

/// Values of state variables as on the wire, at random.
struct WireSamples: RandomNumberGenerator {
  private var state: UInt64

  init(seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  /// Any value that the description allows.
  mutating func any(_ variable: StateVariable) -> String {
    switch variable.type {
    case .boolean: return Bool.random(using: &self) ? "1" : "0"
    case .base64: return ["", "AAAAAQ==", "AAAAAQAAAAI="].randomElement(using: &self) ?? ""
    case .string, .uri:
      if let value = variable.allowedValues.randomElement(using: &self) { return value }
      return Self.texts.randomElement(using: &self) ?? ""
    default:
      let type = variable.type.integerRange ?? 0...0
      let bounds = variable.range.map { $0.minimum...$0.maximum } ?? type
      let ends = [bounds.lowerBound, bounds.upperBound]
      return String(
        (Bool.random(using: &self) ? ends.randomElement(using: &self) : nil)
          ?? .random(in: bounds, using: &self))
    }
  }

  /// A value that a renderer may do something with.
  mutating func useful(_ variable: StateVariable) -> String {
    switch variable.type {
    case .string, .uri:
      if let value = variable.allowedValues.randomElement(using: &self) { return value }
      return Self.usefulTexts.randomElement(using: &self) ?? ""
    case .boolean, .base64: return any(variable)
    default:
      let small = Int64.random(in: -1...4, using: &self)
      return variable.range.map { $0.minimum <= small && small <= $0.maximum } ?? (small >= 0)
        ? String(small) : any(variable)
    }
  }

  private static let texts = [
    "", " ", "plain", "<&>\"'", "]]>", "<![CDATA[x]]>", "é 日本 🎵", "a\nb\tc\rd", "&amp;lt;",
    "<?xml version=\"1.0\"?><DIDL-Lite/>", String(repeating: "long & ", count: 3000),
  ]
  private static let usefulTexts = [
    "", "0", "1", "1 2 3", "0:00:10", "REL_TIME", "http://192.0.2.1/a.flac", "http://192.0.2.1/b.mp3",
    "Playlist",
    "Radio", "UPnP AV", "LF", "Kitchen",
    "<DIDL-Lite xmlns=\"urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/\"><item><dc:title>é &amp; b</dc:title></item></DIDL-Lite>",
  ]
}
