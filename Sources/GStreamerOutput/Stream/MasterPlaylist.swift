/// The list of an HLS stream's variants (RFC 8216, "Master Playlist").
struct MasterPlaylist {
  /// Addresses of the variants in list order, without duplicates, as written there; empty for any other list.
  var variants: [String]

  /// Further variants are dropped: real lists have fewer, and trying so many would take too long.
  static let mostVariants = 16

  init(_ bytes: [UInt8]) {
    variants = []
    var isVariant = false
    for line in bytes.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
      let text = String(decoding: line, as: UTF8.self)
      if text.hasPrefix("#EXT-X-STREAM-INF:") {
        isVariant = true
      } else if !text.hasPrefix("#"), isVariant {
        isVariant = false
        if !variants.contains(text), variants.count < Self.mostVariants { variants.append(text) }
      }
    }
  }
}
