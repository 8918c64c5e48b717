/// A place in a JSON text (RFC 6901).
struct JSONPlace: Sendable, Hashable, CustomStringConvertible {
  private(set) var description = ""

  /// The member `name` of what is here.
  func member(_ name: String) -> JSONPlace {
    var escaped = ""
    for character in name.unicodeScalars {
      switch character {
      case "~": escaped += "~0"
      case "/": escaped += "~1"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return JSONPlace(description: "\(description)/\(escaped)")
  }

  /// The element of what is here.
  func element(_ index: Int) -> JSONPlace { JSONPlace(description: "\(description)/\(index)") }
}
