/// A value of a database column.
enum StoreValue: Sendable, Hashable {
  case integer(Int64)
  case text(String)
  case bytes([UInt8])

  var integer: Int64? {
    if case .integer(let integer) = self { integer } else { nil }
  }

  var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
}

extension StoreValue {
  /// Returns `value` as an integer, clamped to the range that a column can hold.
  static func number(_ value: some BinaryInteger) -> StoreValue { .integer(Int64(clamping: value)) }
}
