import Text

/// What a Range field asks for (RFC 9110, "Range").
package enum ByteRange: Equatable {
  case whole
  case part(Range<Int64>)
  /// There is no such part.
  case none

  /// Reads the field of a request for a file of `size` bytes. What isn't one range of bytes is ignored, as it may be.
  package init(_ field: String?, size: Int64) {
    self = .whole
    guard let field, field.utf8.count <= 128 else { return }
    let pair = field.split(separator: "=", maxSplits: 1)
    guard pair.count == 2, pair[0].trimmingASCIISpace.lowercased() == "bytes" else { return }
    let ends = pair[1].trimmingASCIISpace.split(
      separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.count == 2 else { return }
    switch (Self.number(ends[0]), Self.number(ends[1])) {
    case (.given(let first), .given(let last)):
      guard first <= last else { return }
      self = first < size ? .part(first..<min(last, size - 1) + 1) : .none
    case (.given(let first), .empty): self = first < size ? .part(first..<size) : .none
    case (.empty, .given(let count)):
      self = count > 0 && size > 0 ? .part(max(size - count, 0)..<size) : .none
    default: return
    }
  }

  private enum Number {
    case empty
    case given(Int64)
    case malformed
  }

  private static func number(_ text: Substring) -> Number {
    guard !text.isEmpty else { return .empty }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return .malformed }
    // Beyond any file.
    return .given(Int64(text) ?? .max - 1)
  }
}
