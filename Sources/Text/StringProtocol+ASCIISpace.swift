extension StringProtocol {
  /// The string without white space (space, tab, LF, VT, FF, CR) at both ends.
  @inlinable public var trimmingASCIISpace: String { String(self).trimmed }
}

extension String {
  @usableFromInline var trimmed: String {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0d).contains($0) }
    guard let first = utf8.firstIndex(where: { !isSpace($0) }),
      let last = utf8.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(self[first..<utf8.index(after: last)])
  }
}
