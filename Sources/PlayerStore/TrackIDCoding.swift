/// Track IDs as four little-endian bytes each.
enum TrackIDCoding {
  static func encode(_ ids: [UInt32]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 * ids.count)
    for id in ids { withUnsafeBytes(of: id.littleEndian) { bytes.append(contentsOf: $0) } }
    return bytes
  }

  /// Decodes `bytes`; nil when their number is no multiple of four.
  static func decode(_ bytes: [UInt8]) -> [UInt32]? {
    guard bytes.count.isMultiple(of: 4) else { return nil }
    return bytes.withUnsafeBytes { buffer in
      stride(from: 0, to: buffer.count, by: 4).map {
        UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: $0, as: UInt32.self))
      }
    }
  }
}
