/// The header of a PNG, which tells its size and depth (W3C PNG, IHDR).
struct PNGHeader: Sendable, Equatable {
  var width: Int
  var height: Int
  /// Bits per pixel of all channels together, as device descriptions require.
  var depth: Int

  /// Parses the header; nil when `bytes` don't begin with one, or when a side is longer than 4096 pixels.
  init?(_ bytes: [UInt8]) {
    let signature: [UInt8] = [
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52,
    ]
    guard bytes.count >= 33, bytes.prefix(16) == signature[...] else { return nil }
    let number = { (offset: Int) in bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
    width = number(16)
    height = number(20)
    guard (1...4096).contains(width), (1...4096).contains(height) else { return nil }
    let channels: [UInt8: Int] = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4]
    guard let count = channels[bytes[25]] else { return nil }
    depth = bytes[25] == 3 ? 24 : Int(bytes[24]) * count
  }
}
