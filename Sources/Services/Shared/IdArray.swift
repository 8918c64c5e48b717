import Text

/// Id lists as OpenHome services write them: base64 of big-endian 32-bit integers (Playlist, "IdArray";
/// Radio, "IdArray"), and the decimal list in requests of control points ("ReadList").
enum IdArray {
  /// Maximum number of ids in a request; more than any list has.
  static let maximumAsked = 32_768

  /// `ids` as base64; the empty string for none.
  static func text(_ ids: some Collection<UInt32>) -> String {
    let count = ids.count
    guard count > 0 else { return "" }
    let bytes = [UInt8](unsafeUninitializedCapacity: count * 4) { bytes, initialized in
      let raw = UnsafeMutableRawBufferPointer(bytes)
      var offset = 0
      for id in ids {
        raw.storeBytes(of: id.bigEndian, toByteOffset: offset, as: UInt32.self)
        offset += 4
      }
      initialized = offset
    }
    return Base64.text(bytes)
  }

  /// The distinct ids in `text`, in order, at most `limit`. Spaces, commas and semicolons separate them; what
  /// isn't an id (`-1`, words, numbers that are too large) is dropped.
  static func ids(in text: String, limit: Int = maximumAsked) -> [UInt32] {
    var ids: [UInt32] = []
    var seen: Set<UInt32> = []
    // The value of the bytes since the last separator; nil once one of them isn't a digit.
    var number: UInt64? = 0
    var isEmpty = true
    func finish() {
      if !isEmpty, let value = number.flatMap({ UInt32(exactly: $0) }), ids.count < limit,
        seen.insert(value).inserted
      {
        ids.append(value)
      }
      (number, isEmpty) = (0, true)
    }
    for byte in text.utf8 {
      switch byte {
      case 0x20, 0x09, 0x0a, 0x0d, UInt8(ascii: ","), UInt8(ascii: ";"): finish()
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        isEmpty = false
        number = number.flatMap { $0 > UInt64(UInt32.max) ? nil : $0 * 10 + UInt64(byte - UInt8(ascii: "0")) }
      default:
        isEmpty = false
        number = nil
      }
    }
    finish()
    return ids
  }
}
