import Text

/// Names of stored playlists.
public enum KeptName {
  /// In Unicode scalars.
  public static let longest = 100

  /// The name without space around it.
  public static func checked(_ name: String) throws(KeptRefusal) -> String {
    let name = trimmed(name)
    guard !name.isEmpty, name.unicodeScalars.count <= longest,
      name.unicodeScalars.allSatisfy({ !isInvisible($0) })
    else { throw .badName }
    return name
  }

  /// Two lists may not have names that people take for the same.
  public static func isSame(_ one: String, _ other: String) -> Bool { one.lowercased() == other.lowercased() }

  private static func trimmed(_ name: String) -> String {
    var scalars = name.unicodeScalars[...]
    while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
    while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
    return String(scalars)
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    // Marks of direction would turn around what is shown behind the name.
    case .format: scalar != "\u{200d}" && scalar != "\u{200c}"
    default: false
    }
  }
}
