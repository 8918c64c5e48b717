/// The words of problems about values: what would be right.
enum CheckedText {
  static func lengths(_ length: ClosedRange<Int>) -> String {
    length.upperBound == .max
      ? "This has to have at least \(length.lowerBound) characters."
      : "This has to have \(length.lowerBound) to \(length.upperBound) characters."
  }

  static func counts(_ count: ClosedRange<Int>) -> String {
    count.upperBound == .max
      ? "There have to be at least \(count.lowerBound) of these."
      : "There have to be \(count.lowerBound) to \(count.upperBound) of these."
  }

  static func range<Number>(_ range: ClosedRange<Number>) -> String {
    "This has to be from \(range.lowerBound) to \(range.upperBound)."
  }

  static func words<Word: CaseIterable & RawRepresentable>(_: Word.Type) -> String
  where Word.RawValue == String {
    "This has to be one of: \(Word.allCases.map(\.rawValue).joined(separator: ", "))."
  }
}
