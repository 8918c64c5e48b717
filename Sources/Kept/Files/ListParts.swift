import Text

/// Cuts the text of a playlist file into shorter ones, each of which is a list by itself: a request takes no more than its limit.
public enum ListParts {
  /// The parts, in order; nil when one track alone is longer.
  ///
  /// - Parameter most: the longest part, in bytes.
  public static func parts(_ text: String, most: Int) -> [String]? {
    guard text.utf8.count > most else { return [text] }
    let trimmed = text.trimmingASCIISpace
    if trimmed.hasPrefix("[") { return numbered(trimmed, most) }
    return trimmed.hasPrefix("<") ? xspf(trimmed, most) : lines(trimmed, most)
  }

  /// Each part of an M3U ends behind an address.
  private static func lines(_ text: String, _ most: Int) -> [String]? {
    let head = text.hasPrefix("#EXTM3U") ? "#EXTM3U\n" : ""
    var pieces: [String] = []
    var piece = ""
    for line in text.split(whereSeparator: \.isNewline) {
      piece += line + "\n"
      guard !line.hasPrefix("#") else { continue }
      pieces.append(piece)
      piece = ""
    }
    return joined(pieces, head: head, tail: "", most)
  }

  /// Each part of a PLS begins as the list does, and has whole entries.
  private static func numbered(_ text: String, _ most: Int) -> [String]? {
    let lines = text.split(whereSeparator: \.isNewline)
    var pieces: [String] = []
    for line in lines.dropFirst() {
      let isNew = ["file", "ref"].contains { line.prefix($0.count).lowercased() == $0 }
      if isNew || pieces.isEmpty { pieces.append("") }
      pieces[pieces.count - 1] += line + "\n"
    }
    return joined(pieces, head: String(lines.first ?? "") + "\n", tail: "", most)
  }

  /// Each part of an XSPF ends behind a track, and has the list's beginning and end.
  private static func xspf(_ text: String, _ most: Int) -> [String]? {
    guard let first = text.firstPlace(of: "<track>") else { return nil }
    var pieces: [String] = []
    var rest = text[first.lowerBound...]
    while let end = rest.firstPlace(of: "</track>") {
      pieces.append(String(rest[..<end.upperBound]))
      rest = rest[end.upperBound...]
    }
    return joined(pieces, head: String(text[..<first.lowerBound]), tail: String(rest), most)
  }

  private static func joined(_ pieces: [String], head: String, tail: String, _ most: Int) -> [String]? {
    let room = most - head.utf8.count - tail.utf8.count
    var parts: [String] = []
    var (part, length) = ("", 0)
    for piece in pieces {
      guard piece.utf8.count <= room else { return nil }
      if length + piece.utf8.count > room {
        parts.append(head + part + tail)
        (part, length) = ("", 0)
      }
      part += piece
      length += piece.utf8.count
    }
    if length > 0 { parts.append(head + part + tail) }
    return parts
  }
}
