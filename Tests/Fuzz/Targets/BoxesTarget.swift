@testable import GStreamerOutput

extension FuzzTarget {
  /// The boxes in front of an MP4 file, in pieces as they come from a server.
  static let boxes = FuzzTarget(
    name: "boxes", maximumLength: 2048,
    words: [
      "moov", "mvex", "mvhd", "mehd", "sidx", "moof", "mdat", "free", "\0\0\0\u{8}", "\0\0\0\u{1}",
      "\0\0\0\u{2c}moov",
    ]
  ) { bytes in
    // The same whatever the pieces, and when some come twice.
    let lengths = [bytes.count, 1, 7, 16].map { piece -> UInt? in
      var movie = FragmentedMovie()
      for start in stride(from: 0, to: bytes.count, by: max(1, piece)) {
        let end = min(bytes.count, start + max(1, piece))
        bytes[start..<end].withUnsafeBytes { movie.take($0, at: UInt(start)) }
        bytes[start..<end].withUnsafeBytes { movie.take($0, at: UInt(start)) }
      }
      return movie.duration(length: UInt(bytes.count))
    }
    try promise(lengths.allSatisfy { $0 == lengths[0] }, "another length in other pieces: \(lengths)")
    try promise(lengths[0].map { $0 < 1 << 62 } ?? true, "more than a clock can tell: \(lengths)")
  }
}
