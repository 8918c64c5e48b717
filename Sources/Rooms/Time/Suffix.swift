extension Array {
  /// The elements at the end for which `belongs` holds.
  func suffix(while belongs: (Element) -> Bool) -> ArraySlice<Element> {
    self[(lastIndex { !belongs($0) } ?? -1) + 1..<count]
  }

  /// The elements in pieces: a new one begins where `differ` holds for neighbours.
  func split(at differ: (Element, Element) -> Bool) -> [ArraySlice<Element>] {
    var (pieces, start): ([ArraySlice<Element>], Int) = ([], 0)
    for index in indices.dropFirst() where differ(self[index - 1], self[index]) {
      pieces.append(self[start..<index])
      start = index
    }
    if start < count { pieces.append(self[start..<count]) }
    return pieces
  }
}
