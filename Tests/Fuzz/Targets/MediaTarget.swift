@testable import GStreamerOutput

extension FuzzTarget {
  /// The beginning of a stream, looked at for its encoder's delay (MP3) and its duration (MP4).
  static let media = FuzzTarget(
    name: "media", maximumLength: 4096, words: ["Xing", "Info", "LAME3.100", "moov", "mvhd"]
  ) { bytes in
    if let header = XingHeader(firstBytes: bytes) {
      try promise(header.skip >= 0 && header.end >= header.skip, "from \(header.skip) to \(header.end)")
    }
    if let header = bytes.withUnsafeBytes({ MovieHeader(in: $0) }) {
      var changed = bytes
      changed.withUnsafeMutableBytes { header.write(to: $0) }
      try promise(zip(bytes, changed).count { $0 != $1 } <= 4, "writes elsewhere")
    }
  }
}
