/// How the subscription identifiers (SID) of a device are written.
public enum SIDFormat: Sendable, Hashable {
  /// `uuid:` and a UUID.
  case uuid
  /// A prefix and ten digits: `uuid:RINCON_000000000001_sub` and `0000000042`.
  ///
  /// The number is random, so that only the subscriber can renew or end its subscription.
  case numbered(prefix: String)

  private static let digits = 10
  private static let numbers: Range<UInt64> = 1..<10_000_000_000

  /// Makes a new identifier, which may be in use already.
  func makeSID() -> SID {
    switch self {
    case .uuid: .random()
    case .numbered: SID(high: 0, low: .random(in: Self.numbers))
    }
  }

  /// Returns `sid` as it is written.
  func text(_ sid: SID) -> String {
    switch self {
    case .uuid: return sid.description
    case .numbered(let prefix):
      let number = String(sid.low)
      return prefix + String(repeating: "0", count: max(0, Self.digits - number.utf8.count)) + number
    }
  }

  /// Parses an identifier; nil for anything else.
  func sid(_ text: String) -> SID? {
    switch self {
    case .uuid: return SID(text)
    case .numbered(let prefix):
      let digits = text.utf8.dropFirst(prefix.utf8.count)
      guard text.utf8.starts(with: prefix.utf8), digits.count == Self.digits,
        digits.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(String(digits) ?? "")
      else { return nil }
      return SID(high: 0, low: number)
    }
  }
}
