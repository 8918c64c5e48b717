import Text

/// Lists in text form: M3U, PLS, and the text form of ASX.
extension PlaylistDocument {
  /// The entries of `lines`, which are trimmed and not empty; URIs are unchanged.
  static func textEntries(_ lines: [String], most: Int) -> [Entry] {
    switch lines.first?.lowercased() {
    case "[playlist]": numbered(lines, uriKey: "file", most: most)
    case "[reference]": numbered(lines, uriKey: "ref", most: most)
    default: m3u(lines, most: most)
    }
  }

  private static func m3u(_ lines: [String], most: Int) -> [Entry] {
    var entries: [Entry] = []
    var pending = Entry()
    for line in lines where entries.count < most {
      if line.hasPrefix("#EXTINF:") {
        let information = line.dropFirst("#EXTINF:".count)
        // Attributes may follow the number, with commas inside: `#EXTINF:-1 tvg-logo="…,…",Title`.
        let comma = firstCommaOutsideQuotes(information)
        let head = information[..<(comma ?? information.endIndex)]
        pending.duration = head.split(separator: " ").first.flatMap { seconds(String($0)) }
        pending.title = comma.map { information[information.index(after: $0)...].trimmingASCIISpace }
        pending.imageURI = attribute("tvg-logo", in: head) ?? attribute("logo", in: head)
      } else if line.hasPrefix("#EXTIMG:") {
        pending.imageURI = line.dropFirst("#EXTIMG:".count).trimmingASCIISpace
      } else if line.hasPrefix("#EXTART:") {
        pending.artist = text(behind: "#EXTART:", in: line)
      } else if line.hasPrefix("#EXTALB:") {
        pending.album = text(behind: "#EXTALB:", in: line)
      } else if !line.hasPrefix("#") {
        pending.uri = line
        pending.title = title(pending.title, without: pending.artist)
        entries.append(pending)
        pending = Entry()
      }
    }
    return entries
  }

  private static func text(behind tag: String, in line: String) -> String? {
    let text = line.dropFirst(tag.count).trimmingASCIISpace
    return text.isEmpty ? nil : text
  }

  /// `#EXTINF` names artist and title in one; where the artist is named too, only the title is left.
  private static func title(_ title: String?, without artist: String?) -> String? {
    guard let title, let artist else { return title }
    let beginning = "\(artist) - "
    return title.hasPrefix(beginning) ? String(title.dropFirst(beginning.count)) : title
  }

  private static func firstCommaOutsideQuotes(_ text: Substring) -> Substring.Index? {
    var isQuoted = false
    return text.utf8.firstIndex { byte in
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      return byte == UInt8(ascii: ",") && !isQuoted
    }
  }

  /// The value of `name="value"`.
  private static func attribute(_ name: String, in text: Substring) -> String? {
    guard let start = text.firstPlace(of: " \(name)=\"")?.upperBound else { return nil }
    let value = text[start...].prefix { $0 != "\"" }
    return value.isEmpty ? nil : String(value)
  }

  /// Reads lines `File1=…`, `Title1=…`, `Length1=…` in any order; the entries are sorted by number.
  private static func numbered(_ lines: [String], uriKey: String, most: Int) -> [Entry] {
    var entries: [Int: Entry] = [:]
    for line in lines {
      let pair = line.split(separator: "=", maxSplits: 1).map(\.trimmingASCIISpace)
      guard pair.count == 2 else { continue }
      let key = pair[0].lowercased()
      let digits = key.reversed().prefix { $0.isASCII && $0.isNumber }.reversed()
      guard let number = Int(String(digits)), entries.count < most || entries[number] != nil else {
        continue
      }
      switch String(key.dropLast(digits.count)) {
      case uriKey: entries[number, default: Entry()].uri = pair[1]
      case "title": entries[number, default: Entry()].title = pair[1]
      case "length": entries[number, default: Entry()].duration = seconds(pair[1])
      default: continue
      }
    }
    return entries.sorted { $0.key < $1.key }.map(\.value).filter { !$0.uri.isEmpty }
  }

  private static func seconds(_ text: String) -> Duration? {
    guard let value = Double(text), value > 0, value < 1e8 else { return nil }
    return .milliseconds(Int64((value * 1000).rounded()))
  }
}
