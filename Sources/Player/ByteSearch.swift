/// Searches for a byte sequence in linear time (Knuth-Morris-Pratt), so that hostile input can't make it slow.
struct ByteSearch {
  private let part: [UInt8]
  /// For each prefix of `part`, the length of its longest proper prefix that is also a suffix.
  private let borders: [Int]

  init(_ part: [UInt8]) {
    self.part = part
    var borders = [Int](repeating: 0, count: part.count)
    var length = 0
    for (index, byte) in part.enumerated().dropFirst() {
      while length > 0, part[length] != byte { length = borders[length - 1] }
      if part[length] == byte { length += 1 }
      borders[index] = length
    }
    self.borders = borders
  }

  func finds(in bytes: [UInt8]) -> Bool {
    guard !part.isEmpty else { return true }
    var length = 0
    for byte in bytes {
      while length > 0, part[length] != byte { length = borders[length - 1] }
      if part[length] == byte { length += 1 }
      if length == part.count { return true }
    }
    return false
  }
}
