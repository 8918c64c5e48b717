/// Text within HTML.
public enum HTMLText {
  /// Escapes `text` for HTML text and quoted attributes.
  public static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case _ where scalar.value < 0x20 || scalar.value == 0x7f: result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
