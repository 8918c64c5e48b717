import JSON

/// What is read from the body of a request.
protocol JSONReadable {
  init(_ json: JSONValue, at place: JSONPlace) throws(Problem)
}

/// Reads the members of an object, each checked against the API's description.
struct JSONObjectReader {
  private let members: [JSONMember]
  private let place: JSONPlace

  /// - Parameters:
  ///   - names: those that are known; all others are refused.
  ///   - least: how many members there must be.
  init(_ json: JSONValue, at place: JSONPlace, names: [String], least: Int = 0) throws(Problem) {
    guard case .object(let members) = json else {
      throw Self.problem("wrong-type", "This has to be an object.", place)
    }
    for member in members where !names.contains(member.name) {
      throw Self.problem(
        "unknown-member", "There is no such member here; known are: \(names.joined(separator: ", ")).",
        place.member(member.name))
    }
    guard members.count >= least else {
      throw Self.problem("missing-member", "There has to be at least one member.", place)
    }
    self.members = members
    self.place = place
  }

  static func problem(_ type: String, _ detail: String, _ place: JSONPlace) -> Problem {
    Problem(type, .unprocessableContent, detail, pointer: place.description)
  }

  private func value(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }

  /// - Throws: the problem that `name` is missing, when `value` is nil.
  private func required<Value>(_ value: Value?, _ name: String) throws(Problem) -> Value {
    guard let value else {
      throw Self.problem("missing-member", "This member has to be there.", place.member(name))
    }
    return value
  }

  private func wrongType(_ name: String, _ type: String) -> Problem {
    Self.problem("wrong-type", "This has to be \(type).", place.member(name))
  }

  // MARK: Strings

  func optionalString(_ name: String, _ length: ClosedRange<Int>) throws(Problem) -> String? {
    guard let value = value(name) else { return nil }
    guard case .string(let text) = value else { throw wrongType(name, "a string") }
    guard length.contains(text.unicodeScalars.count) else {
      throw Self.problem("out-of-range", CheckedText.lengths(length), place.member(name))
    }
    return text
  }

  func string(_ name: String, _ length: ClosedRange<Int>) throws(Problem) -> String {
    try required(try optionalString(name, length), name)
  }

  func optionalWord<Word: CaseIterable & RawRepresentable>(
    _ name: String, _ type: Word.Type = Word.self
  ) throws(Problem) -> Word? where Word.RawValue == String {
    guard let text = try optionalString(name, 0...Int.max) else { return nil }
    guard let word = Word(rawValue: text) else {
      throw Self.problem("out-of-range", CheckedText.words(type), place.member(name))
    }
    return word
  }

  func word<Word: CaseIterable & RawRepresentable>(
    _ name: String, _ type: Word.Type = Word.self
  ) throws(Problem) -> Word where Word.RawValue == String {
    try required(try optionalWord(name, type), name)
  }

  // MARK: Numbers

  func optionalNumber(_ name: String, _ range: ClosedRange<Double>) throws(Problem) -> Double? {
    guard let value = value(name) else { return nil }
    guard case .number(let number) = value else { throw wrongType(name, "a number") }
    guard range.contains(number) else {
      throw Self.problem("out-of-range", CheckedText.range(range), place.member(name))
    }
    return number
  }

  func number(_ name: String, _ range: ClosedRange<Double>) throws(Problem) -> Double {
    try required(try optionalNumber(name, range), name)
  }

  func optionalInteger(_ name: String, _ range: ClosedRange<Int>) throws(Problem) -> Int? {
    guard let value = value(name) else { return nil }
    return try Self.integer(value, range, place.member(name))
  }

  func integer(_ name: String, _ range: ClosedRange<Int>) throws(Problem) -> Int {
    try required(try optionalInteger(name, range), name)
  }

  private static func integer(
    _ value: JSONValue, _ range: ClosedRange<Int>, _ place: JSONPlace
  ) throws(Problem) -> Int {
    guard case .number(let number) = value, number.rounded() == number else {
      throw problem("wrong-type", "This has to be a whole number.", place)
    }
    guard let integer = Int(exactly: number), range.contains(integer) else {
      throw problem("out-of-range", CheckedText.range(range), place)
    }
    return integer
  }

  func optionalBoolean(_ name: String) throws(Problem) -> Bool? {
    guard let value = value(name) else { return nil }
    guard case .boolean(let isTrue) = value else { throw wrongType(name, "true or false") }
    return isTrue
  }

  func boolean(_ name: String) throws(Problem) -> Bool { try required(try optionalBoolean(name), name) }

  // MARK: Arrays

  private func elements(_ name: String, _ count: ClosedRange<Int>) throws(Problem) -> [JSONValue] {
    guard case .array(let elements) = try required(value(name), name) else {
      throw wrongType(name, "an array")
    }
    guard count.contains(elements.count) else {
      throw Self.problem("out-of-range", CheckedText.counts(count), place.member(name))
    }
    return elements
  }

  func objects<Object: JSONReadable>(
    _ name: String, count: ClosedRange<Int>
  ) throws(Problem) -> [Object] {
    let place = place.member(name)
    var objects: [Object] = []
    for (index, element) in try elements(name, count).enumerated() {
      objects.append(try Object(element, at: place.element(index)))
    }
    return objects
  }

  func optionalObjects<Object: JSONReadable>(
    _ name: String, count: ClosedRange<Int>
  ) throws(Problem) -> [Object]? {
    value(name) == nil ? nil : try objects(name, count: count)
  }

  func integers(
    _ name: String, count: ClosedRange<Int>, _ range: ClosedRange<Int>
  ) throws(Problem) -> [Int] {
    let place = place.member(name)
    var integers: [Int] = []
    for (index, element) in try elements(name, count).enumerated() {
      integers.append(try Self.integer(element, range, place.element(index)))
    }
    return integers
  }

  func optionalIntegers(
    _ name: String, count: ClosedRange<Int>, _ range: ClosedRange<Int>
  ) throws(Problem) -> [Int]? {
    value(name) == nil ? nil : try integers(name, count: count, range)
  }
}
