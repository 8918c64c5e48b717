import HTTP
import Text

/// Reads the parameters of a request, each checked against the API's description.
struct APIParameters {
  enum Place { case path, query, header }

  private let path: [Substring]
  private let query: [(name: String, value: String)]
  private let fields: HeaderFields

  /// - Parameters:
  ///   - path: the parts of the path, still encoded.
  ///   - known: the names of the query's parameters; with nil, the query isn't looked at.
  init(path: [Substring], head: RequestHead, known: [String]?) throws(Problem) {
    self.path = path
    fields = head.fields
    guard let known else {
      query = []
      return
    }
    var query: [(name: String, value: String)] = []
    for pair in (head.query ?? "").split(separator: "&", omittingEmptySubsequences: true) {
      let mark = pair.firstIndex(of: "=") ?? pair.endIndex
      let name = PercentEscapes.decoded(pair[..<mark], plusIsSpace: true)
      let value = PercentEscapes.decoded(pair[mark...].dropFirst(), plusIsSpace: true)
      guard let name, let value else {
        throw Self.problem("malformed", "The query of the address isn't encoded properly.")
      }
      guard known.contains(name) else {
        throw Self.problem(
          "unknown-parameter", "There is no parameter “\(name)”; known are: \(known.joined(separator: ", "))."
        )
      }
      guard !query.contains(where: { $0.name == name }) else {
        throw Self.problem("duplicate-parameter", "The parameter “\(name)” is there twice.")
      }
      query.append((name, value))
    }
    self.query = query
  }

  private static func problem(_ type: String, _ detail: String) -> Problem {
    Problem(type, .unprocessableContent, detail)
  }

  /// - Parameter index: the place in the path of a parameter that stands there.
  private func text(_ name: String, _ place: Place, _ index: Int) throws(Problem) -> String? {
    switch place {
    case .path:
      guard let text = PercentEscapes.decoded(path[index]) else {
        throw Self.problem("malformed", "The path of the address isn't encoded properly.")
      }
      return text
    case .query: return query.first { $0.name == name }?.value
    case .header: return fields.first(name.lowercased())
    }
  }

  private func required<Value>(_ value: Value?, _ name: String) throws(Problem) -> Value {
    guard let value else { throw Self.problem("missing-parameter", "The parameter “\(name)” is missing.") }
    return value
  }

  func optionalString(
    _ name: String, _ place: Place, _ index: Int = 0, _ length: ClosedRange<Int>
  ) throws(Problem) -> String? {
    guard let text = try text(name, place, index) else { return nil }
    guard length.contains(text.unicodeScalars.count) else {
      throw Self.problem("out-of-range", "Parameter “\(name)”: \(CheckedText.lengths(length))")
    }
    return text
  }

  func string(
    _ name: String, _ place: Place, _ index: Int = 0, _ length: ClosedRange<Int>
  ) throws(Problem) -> String {
    try required(try optionalString(name, place, index, length), name)
  }

  func optionalInteger(
    _ name: String, _ place: Place, _ index: Int = 0, _ range: ClosedRange<Int>
  ) throws(Problem) -> Int? {
    guard let text = try text(name, place, index) else { return nil }
    guard text.first != "+", let number = Int(text), range.contains(number) else {
      throw Self.problem("out-of-range", "Parameter “\(name)”: \(CheckedText.range(range))")
    }
    return number
  }

  func integer(
    _ name: String, _ place: Place, _ index: Int = 0, _ range: ClosedRange<Int>
  ) throws(Problem) -> Int {
    try required(try optionalInteger(name, place, index, range), name)
  }

  func optionalWord<Word: CaseIterable & RawRepresentable>(
    _ name: String, _ place: Place, _ index: Int = 0, _ type: Word.Type = Word.self
  ) throws(Problem) -> Word? where Word.RawValue == String {
    guard let text = try text(name, place, index) else { return nil }
    guard let word = Word(rawValue: text) else {
      throw Self.problem("out-of-range", "Parameter “\(name)”: \(CheckedText.words(type))")
    }
    return word
  }
}
