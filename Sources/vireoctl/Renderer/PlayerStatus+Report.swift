import Renderers

extension PlayerStatus {
  var json: JSON {
    .members([
      "state": .string(state.rawValue), "renderer": .string(renderer), "udn": .string(udn),
      "source": .string(source),
      "sourceType": .string(sourceType), "standby": .bool(isStandby), "title": .string(title),
      "artist": .string(artist), "album": .string(album), "uri": .string(uri), "position": .number(position),
      "duration": .number(duration), "volume": .number(volume), "mute": .bool(isMuted),
      "track": .number(track),
      "tracks": .number(tracks), "format": .string(format), "page": .string(page),
    ])
  }

  /// The word alone for programs; for people, what plays as well.
  var report: Report {
    var lines = [state.rawValue]
    let heading = [artist, title].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " – ")
    if !heading.isEmpty { lines.append("  " + heading + (album.map { $0.isEmpty ? "" : " (\($0))" } ?? "")) }
    if heading.isEmpty, let uri, !uri.isEmpty { lines.append("  \(uri)") }
    let time = [position, duration].compactMap(\.self).map { PlayTime.text($0) }.joined(separator: " / ")
    let place = track.map { track in "track \(track)" + (tracks.map { " of \($0)" } ?? "") }
    let second = [state == .stopped ? nil : time, place, format].compactMap(\.self).filter { !$0.isEmpty }
    if !second.isEmpty { lines.append("  " + second.joined(separator: ", ")) }
    var third = [renderer]
    if let source { third.append("source \(source)") }
    if let volume { third.append("volume \(volume)" + (isMuted == true ? " (muted)" : "")) }
    if isStandby == true { third.append("standby") }
    lines.append("  " + third.joined(separator: ", "))
    if let page { lines.append("  \(page)") }
    return Report(json: json, body: .lines(lines, plain: [state.rawValue]))
  }

  /// A line of the user's own form: `{artist} – {title}`. Unknown names stay as they are.
  func formatted(_ form: String) -> String {
    guard case .object(let members) = json else { return form }
    var result = ""
    var rest = form[...]
    while let open = rest.firstIndex(of: "{") {
      result += rest[..<open]
      rest = rest[open...]
      guard let close = rest.firstIndex(of: "}") else { break }
      let name = rest[rest.index(after: rest.startIndex)..<close]
      result += Self.value(String(name), members) ?? String(rest[...close])
      rest = rest[rest.index(after: close)...]
    }
    return result + rest
  }

  private static let names: Set<String> = [
    "state", "renderer", "udn", "source", "sourceType", "standby", "title", "artist", "album", "uri",
    "position",
    "duration", "volume", "mute", "track", "tracks", "format", "page",
  ]

  private static func value(_ name: String, _ members: [JSON.Member]) -> String? {
    guard names.contains(name) else { return nil }
    switch members.first(where: { $0.name == name })?.value {
    case .string(let text)?: return text
    case .number(let value)? where name == "position" || name == "duration": return PlayTime.text(value)
    case let value?: return value.text
    case nil: return ""
    }
  }
}
