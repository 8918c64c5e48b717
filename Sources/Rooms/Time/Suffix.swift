extension Array {
  /// The elements at the end for which `belongs` holds.
  func suffix(while belongs: (Element) -> Bool) -> ArraySlice<Element> {
    self[(lastIndex { !belongs($0) } ?? -1) + 1..<count]
  }
}
