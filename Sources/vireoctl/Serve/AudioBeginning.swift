import ControlPoint

/// Tells audio files by their first bytes, for those whose names don't say what they are.
enum AudioBeginning {
  /// The bytes that are needed.
  static let length = 16

  private static let marks: [(offset: Int, mark: String, type: String)] = [
    (0, "fLaC", "audio/flac"), (0, "ID3", "audio/mpeg"), (0, "OggS", "audio/ogg"), (8, "WAVE", "audio/wav"),
    (8, "AIFF", "audio/aiff"), (8, "AIFC", "audio/aiff"), (4, "ftyp", "audio/mp4"),
    (0, "wvpk", "audio/x-wavpack"), (0, "MAC ", "audio/x-ape"), (0, "DSD ", "audio/dsf"),
    (0, "FRM8", "audio/dff"), (0, "TTA1", "audio/x-tta"), (0, "MPCK", "audio/x-musepack"),
    (0, "MP+", "audio/x-musepack"), (0, "caff", "audio/x-caf"), (0, ".snd", "audio/basic"),
    (0, "#!AMR", "audio/amr"), (0, "MThd", "audio/midi"),
  ]

  /// Nil for what isn't known as audio.
  static func type(_ bytes: [UInt8]) -> MIMEType? {
    for (offset, mark, type) in marks where bytes.dropFirst(offset).starts(with: mark.utf8) {
      return MIMEType(type)
    }
    // Frames of MPEG audio, and of AAC, begin with 11 or 12 bits that are set.
    guard bytes.count >= 2, bytes[0] == 0xff else {
      let matroska: [UInt8] = [0x1a, 0x45, 0xdf, 0xa3]
      let asf: [UInt8] = [0x30, 0x26, 0xb2, 0x75]
      if bytes.starts(with: matroska) { return MIMEType("audio/x-matroska") }
      return bytes.starts(with: asf) ? MIMEType("audio/x-ms-wma") : nil
    }
    if bytes[1] & 0xf6 == 0xf0 { return MIMEType("audio/aac") }
    // 0xfffe is text in UTF-16.
    let isFrame = bytes[1] & 0xe0 == 0xe0 && bytes[1] & 0x06 != 0 && bytes[1] != 0xfe
    return isFrame ? MIMEType("audio/mpeg") : nil
  }
}
