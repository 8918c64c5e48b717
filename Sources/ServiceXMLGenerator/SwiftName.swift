/// Turns the names in service descriptions into Swift names.
enum SwiftName {
  /// Converts a name to lower camel case.
  ///
  /// `CurrentURIMetaData` → `currentURIMetaData`, `AVTransportURI` → `avTransportURI`, `PAUSED_PLAYBACK` →
  /// `pausedPlayback`, `LF` → `lf`, `1` → `_1`.
  static func lowerCamel(_ name: String) -> String {
    let words = name.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    let isShouted = !name.contains(where: \.isLowercase)
    var result = ""
    for (index, word) in words.enumerated() {
      switch (index, isShouted) {
      case (0, true): result += word.lowercased()
      case (0, false): result += lowerFirstWord(word)
      case (_, true): result += word.prefix(1) + word.dropFirst().lowercased()
      case (_, false): result += word.prefix(1).uppercased() + word.dropFirst()
      }
    }
    if result.first?.isNumber ?? true { result = "_" + result }
    return keywords.contains(result) ? "`\(result)`" : result
  }

  /// Like ``lowerCamel(_:)``, for an argument label in a call, where keywords need no backticks: `Repeat` → `repeat`.
  static func label(_ name: String) -> String {
    lowerCamel(name).replacing("`", with: "")
  }

  /// Makes a type name of a variable's name: `A_ARG_TYPE_SeekMode` → `SeekMode`.
  static func type(_ variable: String) -> String {
    let name = variable.hasPrefix("A_ARG_TYPE_") ? String(variable.dropFirst("A_ARG_TYPE_".count)) : variable
    return name.prefix(1).uppercased() + name.dropFirst()
  }

  /// Lowers a leading run of capitals as one word, up to the capital that starts the next word: `AVTransport` →
  /// `avTransport`.
  private static func lowerFirstWord(_ word: String) -> String {
    let capitals = word.prefix { $0.isUppercase }
    if capitals.count == word.count { return word.lowercased() }
    if capitals.count <= 1 { return word.prefix(1).lowercased() + word.dropFirst() }
    return capitals.dropLast().lowercased() + word.dropFirst(capitals.count - 1)
  }

  private static let keywords: Set<String> = [
    "default", "repeat", "in", "self", "init", "is", "as", "for", "return", "switch", "case", "public",
    "operator",
  ]
}
