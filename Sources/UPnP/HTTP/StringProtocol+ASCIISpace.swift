extension StringProtocol {
  /// The string without white space (space, tab, LF, VT, FF, CR) at both ends.
  public var trimmingASCIISpace: String {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0d).contains($0) }
    let text = String(self)
    guard let first = text.utf8.firstIndex(where: { !isSpace($0) }),
      let last = text.utf8.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(text[first..<text.utf8.index(after: last)])
  }
}
