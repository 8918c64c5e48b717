/// The latest value of each variable, in the order in which the variables were first seen; bounded.
struct ValueTable: Sendable {
  /// More variables are ignored.
  static let maximumCount = 1024
  /// The bytes of all values and names together; a value that doesn't fit is ignored, and so is what it replaces.
  static let maximumBytes = 512 * 1024

  private(set) var values: [ServiceValue] = []
  private var places: [ServiceValue.Variable: Int] = [:]
  private(set) var bytes = 0

  init(_ values: [ServiceValue] = []) { set(values) }

  var isEmpty: Bool { values.isEmpty }

  mutating func set(_ new: [ServiceValue]) {
    for value in new { set(value) }
  }

  private mutating func set(_ new: ServiceValue) {
    let place = places[new.variable]
    let others = bytes - (place.map { Self.size(values[$0]) } ?? 0)
    guard others + Self.size(new) <= Self.maximumBytes, place != nil || values.count < Self.maximumCount
    else {
      if let place { remove(at: place) }
      return
    }
    bytes = others + Self.size(new)
    if let place {
      values[place] = new
    } else {
      places[new.variable] = values.count
      values.append(new)
    }
  }

  private mutating func remove(at place: Int) {
    bytes -= Self.size(values[place])
    values.remove(at: place)
    places = [:]
    for (index, value) in values.enumerated() { places[value.variable] = index }
  }

  private static func size(_ value: ServiceValue) -> Int {
    value.variable.name.utf8.count + (value.variable.channel?.utf8.count ?? 0) + value.value.utf8.count
  }
}
