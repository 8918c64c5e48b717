/// The document of the page: a template that gets the speaker's name and the place of the other files.
enum PageShell {
  static let name = "index.html"

  static func html(name speaker: String, base: String) -> String {
    guard let asset = PageAsset.named(name) else { return "" }
    let template = asset.withBytes { String(decoding: $0, as: UTF8.self) }
    let values = ["name": HTMLText.escaped(speaker), "ui": base]
    var result = ""
    var rest = Substring(template)
    while let opening = rest.firstIndex(of: "{") {
      result += rest[..<opening]
      rest = rest[opening...]
      let word = rest.dropFirst(2).prefix { $0 != "}" }
      guard rest.hasPrefix("{{"), rest[word.endIndex...].hasPrefix("}}"), let value = values[String(word)]
      else {
        result.append(rest.removeFirst())
        continue
      }
      result += value
      rest = rest[word.endIndex...].dropFirst(2)
    }
    return result + rest
  }
}
