import CGStreamer

/// The duration in an MP4 file's header, found and extended on the way to the demuxer.
///
/// The demuxer ends a track at a packet that begins after that duration. But it counts packets with the encoder delay
/// and the duration without it, so the last packet would be lost. A duration that is a second longer lets it through;
/// the track's edit list says where the sound ends.
struct MovieHeader {
  /// The added time, in nanoseconds.
  static let `extension`: guint64 = 1_000_000_000

  private var offset: Int
  private var duration: UInt32

  /// Looks in `bytes` for a `moov` box that begins with a version 0 `mvhd` box.
  init?(in bytes: UnsafeRawBufferPointer) {
    let mark = Array("moov".utf8) + [0, 0, 0, 108] + Array("mvhd".utf8) + [0]
    // Type, version and flags, two dates, time scale, duration.
    guard bytes.count >= mark.count + 19,
      let start = Self.find(mark, in: bytes)
    else { return nil }
    let scale = Self.read(bytes, start + mark.count + 11)
    offset = start + mark.count + 15
    let (sum, overflow) = Self.read(bytes, offset).addingReportingOverflow(scale)
    // 0 and all ones mean unknown.
    guard !overflow, sum > scale else { return nil }
    duration = sum
  }

  func write(to bytes: UnsafeMutableRawBufferPointer) {
    for index in 0..<4 {
      bytes[offset + index] = UInt8(truncatingIfNeeded: duration >> UInt32(24 - 8 * index))
    }
  }

  private static func read(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 << 8 | UInt32(bytes[at + $1]) }
  }

  private static func find(_ mark: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int? {
    mark.withUnsafeBytes { mark in
      guard let start = bytes.baseAddress, let pattern = mark.baseAddress,
        let found = vireo_find(start, bytes.count - 19, pattern, mark.count)
      else { return nil }
      return UnsafeRawPointer(found) - start
    }
  }
}
