// Swift's own search for a string (`contains`, `firstRange`, `split`) links the engine for regular expressions: 0.8 MB of
// code, and 30 kB of tables that each process keeps a copy of.
extension StringProtocol {
  /// Returns the first place where the bytes of `part` occur, which must not be empty; nil when there is none.
  package func firstPlace(of part: String) -> Range<Index>? {
    guard let first = part.utf8.first else { return nil }
    var start = utf8.startIndex
    while let found = utf8[start...].firstIndex(of: first) {
      if utf8[found...].starts(with: part.utf8) {
        return found..<utf8.index(found, offsetBy: part.utf8.count)
      }
      start = utf8.index(after: found)
    }
    return nil
  }

  package func includes(_ part: String) -> Bool { firstPlace(of: part) != nil }

  /// Returns the text with `other` in each place of `part`, which must not be empty.
  package func withEach(_ part: String, replacedBy other: String) -> String {
    var (result, rest) = ("", Substring(self))
    while let place = rest.firstPlace(of: part) {
      result += rest[..<place.lowerBound]
      result += other
      rest = rest[place.upperBound...]
    }
    return result + rest
  }
}
