/// Tells audio files by their first bytes.
public enum AudioBeginning {
  /// The bytes that are needed: so many tell Ogg's codecs apart.
  public static let length = 64

  private static let marks: [(offset: Int, mark: String, type: String)] = [
    (0, "fLaC", "audio/flac"), (0, "ID3", "audio/mpeg"), (8, "WAVE", "audio/wav"),
    (8, "AIFF", "audio/aiff"), (8, "AIFC", "audio/aiff"), (4, "ftyp", "audio/mp4"),
    (0, "wvpk", "audio/x-wavpack"), (0, "MAC ", "audio/x-ape"), (0, "DSD ", "audio/dsf"),
    (0, "FRM8", "audio/dff"), (0, "TTA1", "audio/x-tta"), (0, "MPCK", "audio/x-musepack"),
    (0, "MP+", "audio/x-musepack"), (0, "caff", "audio/x-caf"), (0, ".snd", "audio/basic"),
    (0, "#!AMR", "audio/amr"), (0, "MThd", "audio/midi"),
  ]
  /// Brands of pictures, which come in the same container as MP4.
  private static let pictures = ["heic", "heix", "mif1", "msf1", "avif", "avis"]
  private static let matroska: [UInt8] = [0x1a, 0x45, 0xdf, 0xa3]
  private static let asf: [UInt8] = [0x30, 0x26, 0xb2, 0x75]

  /// The MIME type; nil for what isn't known as audio.
  public static func type(_ bytes: [UInt8]) -> String? {
    if has("OggS", at: 0, bytes) { return has("OpusHead", at: 28, bytes) ? "audio/opus" : "audio/ogg" }
    if has("ftyp", at: 4, bytes), pictures.contains(where: { has($0, at: 8, bytes) }) { return nil }
    for (offset, mark, type) in marks where has(mark, at: offset, bytes) { return type }
    // Frames of MPEG audio, and of AAC, begin with 11 or 12 bits that are set.
    guard bytes.count >= 2, bytes[0] == 0xff else {
      if bytes.starts(with: matroska) { return "audio/x-matroska" }
      return bytes.starts(with: asf) ? "audio/x-ms-wma" : nil
    }
    if bytes[1] & 0xf6 == 0xf0 { return "audio/aac" }
    // 0xfffe is text in UTF-16.
    let isFrame = bytes[1] & 0xe0 == 0xe0 && bytes[1] & 0x06 != 0 && bytes[1] != 0xfe
    return isFrame ? "audio/mpeg" : nil
  }

  private static func has(_ mark: String, at offset: Int, _ bytes: [UInt8]) -> Bool {
    bytes.dropFirst(offset).starts(with: mark.utf8)
  }
}
