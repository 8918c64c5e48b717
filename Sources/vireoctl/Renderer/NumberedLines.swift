extension RandomAccessCollection {
  /// What has this number in a list that people count from 1; nil for a number that nothing has, however large or small.
  subscript(number number: Int) -> Element? {
    guard number >= 1, number <= count else { return nil }
    return self[index(startIndex, offsetBy: number - 1)]
  }
}

extension RandomAccessCollection where Element: BinaryInteger {
  /// The id that `id` stands behind when it has the place `place` (from 1) among these ids; 0 for the first place.
  ///
  /// - Returns: nil for a place that isn't there. A device may give the same id twice; then there may be none either.
  func predecessor(of id: Element, movedTo place: Int) -> Element? {
    guard self[number: place] != nil else { return nil }
    return place == 1 ? 0 : filter { $0 != id }[number: place - 1]
  }
}

/// A list with a number in front of each line, of which a user names one: pins, tracks, stations.
struct NumberedLines<Object> {
  typealias Line = (number: Int, object: Object)

  /// In the order in which they are shown; a number may be left out.
  let lines: [Line]
  let title: (Object) -> String

  /// The line that a user names: by its number from 1, or by its title, or by the beginning of it if that is unique.
  ///
  /// A number is never taken for the beginning of a title.
  ///
  /// - Parameters:
  ///   - isWhole: whether the beginning of a title isn't enough, as for what deletes something.
  ///   - missing: what is said if there is none.
  /// - Throws: ``Failure`` if there is none, or if several may be meant.
  func line(_ text: String, isWhole: Bool = false, orElse missing: String) throws -> Line {
    let number = Int(text)
    if let line = lines.first(where: { $0.number == number }) { return line }
    let named = ServerPath.named(text, among: lines) { title($0.object) }
    let near =
      named.isEmpty && number == nil ? ServerPath.beginning(text, among: lines) { title($0.object) } : []
    let found = isWhole ? named : named + near
    guard let first = found.first else {
      guard !near.isEmpty else { throw Failure(.noInput, missing) }
      throw Failure(.noInput, "\(missing); say its number or its whole title", hints: hints(near))
    }
    guard found.count == 1 else {
      throw Failure(
        .noInput, "\"\(text)\" may be any of these; say which by its number", hints: hints(found))
    }
    return first
  }

  private func hints(_ lines: [Line]) -> [String] {
    lines.prefix(20).map { "\($0.number)  \(title($0.object))" }
  }
}

extension NumberedLines {
  /// All of them, numbered from 1.
  init(_ objects: [Object], title: @escaping (Object) -> String) {
    self.init(lines: objects.enumerated().map { ($0 + 1, $1) }, title: title)
  }
}
