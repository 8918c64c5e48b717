/// Turns the names of the description into Swift names.
enum SwiftName {
  /// `If-Match` → `ifMatch`, `upnp-av` → `upnpAv`, `repeat` → `` `repeat` ``.
  static func lower(_ name: String) -> String {
    let words = name.split { !$0.isLetter && !$0.isNumber }
    let joined = words.enumerated().map { index, word in
      index == 0
        ? word.prefix(1).lowercased() + word.dropFirst() : word.prefix(1).uppercased() + word.dropFirst()
    }.joined()
    return keywords.contains(joined) ? "`\(joined)`" : joined
  }

  /// `state` → `State`; of a list the name of its elements: `actions` → `Action`.
  static func type(_ name: String, isList: Bool) -> String {
    let name = isList && name.hasSuffix("s") ? String(name.dropLast()) : name
    return name.prefix(1).uppercased() + name.dropFirst()
  }

  private static let keywords: Set<String> = [
    "default", "repeat", "in", "self", "init", "is", "as", "for", "return", "switch", "case", "public",
    "where",
  ]
}
