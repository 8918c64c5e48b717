/// One byte of an address, and the source bytes that encode it.
struct AddressUnit: Sendable {
  enum Kind { case lower, upper, digit, other }

  let byte: UInt8
  /// Range of the encoding in the source.
  let start: Int
  let end: Int

  var isEscaped: Bool { end - start > 1 }
  var isSlash: Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

  var kind: Kind {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): .lower
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): .upper
    case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
    default: .other
    }
  }

  /// Decodes all escapes, including those that result from decoding others.
  static func unescaped(_ source: [UInt8]) -> [AddressUnit] {
    var units: [AddressUnit] = []
    units.reserveCapacity(source.count)
    for (index, byte) in source.enumerated() {
      units.append(AddressUnit(byte: byte, start: index, end: index + 1))
      while units.count >= 3, units[units.count - 3].byte == UInt8(ascii: "%"),
        let high = Character(UnicodeScalar(units[units.count - 2].byte)).hexDigitValue,
        let low = Character(UnicodeScalar(units[units.count - 1].byte)).hexDigitValue
      {
        let escape = AddressUnit(
          byte: UInt8(high << 4 | low), start: units[units.count - 3].start, end: index + 1)
        units.replaceSubrange((units.count - 3)..., with: CollectionOfOne(escape))
      }
    }
    return units
  }
}

extension ArraySlice<AddressUnit> {
  /// True for a run of 20 or more characters in which letters and digits, or lower and upper case, alternate
  /// more often than in words.
  var looksLikeToken: Bool {
    var length = 0
    var changes = 0
    var before = AddressUnit.Kind.other
    for unit in self {
      let kind = unit.kind
      guard kind != .other || unit.byte == UInt8(ascii: "-") || unit.byte == UInt8(ascii: "_") else {
        (length, changes, before) = (0, 0, .other)
        continue
      }
      length += 1
      // A word may begin with a capital.
      let isUsual =
        kind == before || kind == .other || before == .other || (before == .upper && kind == .lower)
      if !isUsual { changes += 1 }
      if length >= 20, changes * 8 >= length { return true }
      before = kind
    }
    return false
  }
}

extension UInt8 {
  var isDigit: Bool { (0x30...0x39).contains(self) }

  var mayBeInScheme: Bool {
    isDigit || (0x41...0x5a).contains(self) || (0x61...0x7a).contains(self)
      || [0x2b, 0x2d, 0x2e].contains(self)
  }
}
