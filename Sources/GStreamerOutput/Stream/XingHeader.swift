/// Encoder delay and padding from the first frame of an MP3 file.
///
/// LAME and other encoders put a frame first that contains no sound but a table: "Xing" for variable or "Info" for
/// constant bit rate; flags; then frames, bytes, 100 bytes of positions and the quality, each if its flag is set. Then
/// comes the encoder's name (9 bytes) and, 21 bytes after the start of the name, delay and padding in 12 bits each.
struct XingHeader: Hashable {
  /// Samples of silence that every MPEG audio layer III decoder adds before the sound.
  static let decoderDelay = 529

  /// Frames of MPEG audio that follow this one.
  var frames: Int
  /// Samples that the encoder put before the sound.
  var delay: Int
  /// Samples that the encoder put after the sound.
  var padding: Int
  /// Samples of one MPEG frame.
  var samplesPerFrame: Int

  /// Samples to cut from the start of the decoder's output.
  var skip: Int { delay + Self.decoderDelay }
  /// Where the sound ends in the decoder's output.
  var end: Int { max(skip, frames * samplesPerFrame - max(0, padding - Self.decoderDelay)) }

  /// Reads the tag from the first bytes of a stream; nil if there is none with delay and padding.
  init?(firstBytes bytes: some RandomAccessCollection<UInt8>) {
    let bytes = Array(bytes.prefix(4096))
    guard let start = Self.frameStart(bytes) else { return nil }
    let isVersion1 = bytes[start + 1] & 0x18 == 0x18
    let isMono = bytes[start + 3] & 0xc0 == 0xc0
    var at = start + 4 + (isVersion1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17))
    guard at + 8 <= bytes.count else { return nil }
    let mark = bytes[at..<at + 4]
    guard mark.elementsEqual("Xing".utf8) || mark.elementsEqual("Info".utf8) else { return nil }
    let flags = bytes[at + 7]
    at += 8
    // Without the number of frames the end isn't known.
    guard flags & 1 != 0, at + 4 <= bytes.count else { return nil }
    frames = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
    at += 4
    if flags & 2 != 0 { at += 4 }
    if flags & 4 != 0 { at += 100 }
    if flags & 8 != 0 { at += 4 }
    guard at + 24 <= bytes.count, bytes[at..<at + 3].allSatisfy({ (0x20..<0x7f).contains($0) })
    else { return nil }
    let packed = Int(bytes[at + 21]) << 16 | Int(bytes[at + 22]) << 8 | Int(bytes[at + 23])
    delay = packed >> 12
    padding = packed & 0xfff
    samplesPerFrame = isVersion1 ? 1152 : 576
    guard frames > 0, frames < 1 << 30, delay + padding > 0 else { return nil }
  }

  private static func frameStart(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 40 else { return nil }
    return (0..<bytes.count - 40).first { index in
      // Sync, layer III, a known bit rate and sample rate.
      bytes[index] == 0xff && bytes[index + 1] & 0xe6 == 0xe2 && bytes[index + 1] & 0x18 != 0x08
        && bytes[index + 2] & 0xf0 != 0xf0 && bytes[index + 2] & 0x0c != 0x0c
    }
  }
}
