import Text

/// What to search for (ContentDirectory, "SearchCriteria").
public indirect enum SearchCriteria: Sendable, Hashable {
  public enum Operator: String, Sendable, Hashable, CaseIterable {
    case equal = "="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case contains = "contains"
    case doesNotContain = "doesNotContain"
    case derivedFrom = "derivedfrom"
  }

  case everything
  case compare(ContentProperty, Operator, String)
  case exists(ContentProperty, Bool)
  case all([SearchCriteria])
  case any([SearchCriteria])

  /// The criteria as they are sent.
  public var text: String {
    switch self {
    case .everything: "*"
    case .compare(let property, let sign, let value):
      "\(property.rawValue) \(sign.rawValue) \"\(Self.escaped(value))\""
    case .exists(let property, let exists): "\(property.rawValue) exists \(exists)"
    case .all(let parts): Self.joined(parts, "and")
    case .any(let parts): Self.joined(parts, "or")
    }
  }

  /// Some servers want each part in parentheses, others choke on those around everything.
  private static func joined(_ parts: [SearchCriteria], _ word: String) -> String {
    let parts = parts.filter { $0 != .everything && $0 != .all([]) && $0 != .any([]) }
    guard parts.count > 1 else { return parts.first?.text ?? "*" }
    return parts.map { "(\($0.text))" }.joined(separator: " \(word) ")
  }

  /// The text between the quotation marks: quotation marks and backslashes are escaped, line ends become spaces.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        result += "\\"
        result.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0x7f: result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

/// What people search for. Each is asked for separately: servers index them separately.
public enum SearchedKind: Sendable, Hashable, CaseIterable {
  case track, album, artist

  /// The criteria for objects that have all of `words` in what names them, in the order in which they are to be tried: the
  /// next when the server refuses one. Empty if the server can't search for that.
  ///
  /// Albums are asked for by their exact class first: by `derivedfrom`, MiniDLNA adds its containers of all albums, and Rygel
  /// finds nothing; by the exact class, Rygel fails.
  public func criteria(_ words: String, _ capabilities: ContentCapabilities) -> [SearchCriteria] {
    let words = words.split { $0 == " " || $0 == "\t" }.prefix(Self.maximumWords).map(String.init)
    guard !words.isEmpty else { return [] }
    let usable = properties.filter(capabilities.canSearch)
    guard !usable.isEmpty else { return [] }
    let parts = words.map { word in SearchCriteria.any(usable.map { .compare($0, .contains, word) }) }
    let match = parts.count == 1 ? parts[0] : SearchCriteria.all(parts)
    guard capabilities.canSearch(.mediaClass) else { return [match] }
    return classes.map { .all([.compare(.mediaClass, $0.0, $0.1), match]) }
  }

  private static let maximumWords = 8

  private var properties: [ContentProperty] {
    switch self {
    case .track: [.title, .artist, .album]
    case .album, .artist: [.title]
    }
  }

  private var classes: [(SearchCriteria.Operator, String)] {
    switch self {
    case .track: [(.derivedFrom, "object.item.audioItem")]
    case .album:
      [
        (.equal, "object.container.album.musicAlbum"), (.derivedFrom, "object.container.album"),
      ]
    case .artist:
      [
        (.derivedFrom, "object.container.person"), (.equal, "object.container.person.musicArtist"),
      ]
    }
  }

  /// The criteria for every object of that kind.
  var every: SearchCriteria {
    switch self {
    case .track: .compare(.mediaClass, .derivedFrom, "object.item.audioItem")
    case .album: .compare(.mediaClass, .derivedFrom, "object.container.album")
    case .artist: .compare(.mediaClass, .derivedFrom, "object.container.person")
    }
  }

  /// True for an object of that kind; servers answer with others too.
  public func contains(_ object: MediaObject) -> Bool {
    switch self {
    case .track: object.isPlayable
    case .album: object.isContainer && object.mediaClass.kind == .album
    case .artist: object.isContainer && object.mediaClass.kind == .artist
    }
  }
}

extension SearchedKind {
  /// True for an object of that kind that has all of `words` in what names it: the search for servers without one.
  public func finds(_ words: String, in object: MediaObject) -> Bool {
    guard contains(object) else { return false }
    if self == .track { return object.matches(words) }
    return MediaObject.has(words, in: object.title)
  }
}

extension MediaObject {
  /// True if each of `words` is in title, artist or album.
  public func matches(_ words: String) -> Bool {
    Self.has(
      words,
      in: ([title, artist, album, creator].compactMap { $0 } + artists.map(\.name)).joined(separator: "\n"))
  }

  fileprivate static func has(_ words: String, in text: String) -> Bool {
    let text = text.lowercased()
    return words.lowercased().split { $0 == " " || $0 == "\t" }.allSatisfy { text.includes(String($0)) }
  }
}
