import HTTP
import Listening

/// Checks of the strings of `[reports]`.
extension SettingsChecks {
  static func reportSource(_ text: String) -> String? {
    let names = ReportSource.allCases.map(\.rawValue)
    guard !names.contains(text) else { return nil }
    return "\(TOMLText.quoted(text)) isn't a source; allowed are \(names.joined(separator: ", "))"
      + (Suggestion.nearest(to: text, among: names).map { "; did you mean \"\($0)\"?" } ?? "")
  }

  /// Checks the address of a server. It is shown on the page, so it holds no password.
  static func reportURL(_ text: String) -> String? {
    if text.isEmpty { return nil }
    if let wrong = webURL(text) { return wrong }
    let scheme = text.prefix { $0 != "/" }.count + 2
    let authority = text.dropFirst(scheme).prefix { !"/?#".contains($0) }
    if authority.contains("@") {
      return
        "must hold no password, since everybody can see it; write a token to a file and name that in token-file"
    }
    guard text.utf8.count <= 1024, Authority(authority) != nil, !text.contains("#") else {
      return "\(TOMLText.quoted(text)) isn't an address; they look like \"https://host.example/path\""
    }
    return nil
  }

  /// Checks where a secret is: an absolute path, or the name of a credential (systemd.exec(5), "Credentials").
  static func secretFile(_ text: String) -> String? {
    if text.isEmpty || text.hasPrefix("/") { return nil }
    let isName =
      text.utf8.count <= 255 && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x2f }
      && text != "." && text != ".."
    return isName
      ? nil
      : "\(TOMLText.quoted(text)) is neither an absolute path nor the name of a systemd credential"
  }

  static func apiKey(_ text: String) -> String? {
    let fits = text.utf8.count <= 128 && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    return fits ? nil : "isn't a key; keys are printable ASCII characters without spaces, 128 at most"
  }

  /// Checks a text that servers are told: one line.
  static func reportText(_ text: String) -> String? {
    if text.utf8.count > 200 { return "has \(text.utf8.count) bytes; allowed are 200" }
    let isLine = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    return isLine ? nil : "holds control characters; allowed is one line of text"
  }
}
