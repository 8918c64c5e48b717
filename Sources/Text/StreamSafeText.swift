extension String {
  /// The text in Unicode's stream-safe format (UAX #15, "Stream-Safe Text Format"): an invisible joiner follows every 30
  /// marks on one letter. Text from the network is converted before anything compares or hashes it.
  ///
  /// Swift compares and hashes strings in their normal form. To sort the marks of one letter for that takes a time that
  /// grows with the square of their number. A request has room for 125,000 marks, which take seconds.
  public var streamSafe: String {
    guard utf8.withContiguousStorageIfAvailable(StreamSafeText.mayHoldMarks) ?? true else { return self }
    var text = self
    return text.withUTF8 { bytes in
      let places = StreamSafeText.placesOfJoiners(bytes)
      guard !places.isEmpty else { return nil }
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count + 2 * places.count)
      var begin = 0
      for place in places + [bytes.count] {
        if begin > 0 { result += "\u{034f}".utf8 }
        result += bytes[begin..<place]
        begin = place
      }
      return String(decoding: result, as: UTF8.self)
    } ?? self
  }
}

private enum StreamSafeText {
  private static let mostMarks = 30

  /// False if `bytes` certainly hold no mark: all characters before the first mark have smaller first bytes.
  static func mayHoldMarks(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    // Nearly all text is ASCII, and eight of its bytes are looked at together.
    let raw = UnsafeRawBufferPointer(bytes)
    var index = 0
    while index + 8 <= raw.count,
      raw.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    { index += 8 }
    return bytes[index...].contains { $0 >= 0xcc }
  }

  /// The positions of marks that exceed the limit, in bytes.
  static func placesOfJoiners(_ bytes: UnsafeBufferPointer<UInt8>) -> [Int] {
    var (places, marks, index) = ([Int](), 0, 0)
    while index < bytes.count {
      let first = bytes[index]
      let length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
      marks = first >= 0xcc && isCapturePattern(scalar(bytes, index, length)) ? marks + 1 : 0
      if marks > mostMarks {
        places.append(index)
        marks = 1
      }
      index += length
    }
    return places
  }

  /// Decodes one character; the input is valid UTF-8.
  private static func scalar(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int, _ length: Int) -> UInt32 {
    let first = UInt32(bytes[index]) & (0xff >> UInt32(length + 1))
    return (1..<length).reduce(first) { $0 << 6 | UInt32(bytes[index + $1] & 0x3f) }
  }

  private static func isCapturePattern(_ scalar: UInt32) -> Bool {
    guard scalar < 0x1_0000 else { return computed(scalar) }
    return table[Int(scalar / 64)] >> UInt64(scalar % 64) & 1 == 1
  }

  /// One bit per 16-bit scalar, because looking up the category of each character takes longer than reading it.
  private static let table: [UInt64] = (0..<0x400).map { (word: UInt32) in
    (0..<64).reduce(0) { $0 | (computed(word * 64 + UInt32($1)) ? 1 << UInt64($1) : 0) }
  }

  /// True for marks, and for the vowels and endings of Korean syllables.
  private static func computed(_ value: UInt32) -> Bool {
    guard value != 0x034f, let scalar = Unicode.Scalar(value) else { return false }
    if (0x1160..<0x1200).contains(value) { return true }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return true
    default: return false
    }
  }
}
