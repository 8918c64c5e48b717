import Text

/// What controllers have set in a zone and ask for again. Nothing in the player depends on it.
public struct ZoneNotes: Sendable, Hashable {
  static let maximumStrings = 32
  static let maximumNameLength = 128
  /// As many characters as a room may have in the configuration.
  static let maximumRoomCharacters = 63
  static let maximumStringLength = 4096

  /// The name that a controller has given the room; nil for the configured one.
  public private(set) var name: String?
  /// The configured room that ``name`` replaces: once that is another one, the name doesn't count any more.
  private(set) var replaced: String?
  /// The name of the picture that controllers show for the room.
  public private(set) var icon = "x-rincon-roomicon:living"
  /// Whether controllers have switched on the lamp, which this zone doesn't have.
  public var isLit = true
  /// Whether they have locked its buttons, which it doesn't have either.
  public var isLocked = false
  /// The household that this zone has come to share with others; nil for its own.
  public internal(set) var household: String?
  /// When this zone last said that it goes; nil if it never did.
  var goodbye: ZoneGoodbye?
  /// What controllers keep here for themselves, by its name.
  public private(set) var strings: [String: String] = [:]

  public init() {}

  /// Sets what isn't empty; one controller sends `null` for what it doesn't want to set.
  ///
  /// - Parameter configured: the room that is configured.
  /// - Returns: false when a text is too long to be kept, and nothing was set.
  mutating func set(name: String, icon: String, configured: String? = nil) -> Bool {
    let (name, icon) = (Self.given(name), Self.given(icon))
    guard (name ?? "").utf8.count <= Self.maximumNameLength,
      (name ?? "").count <= Self.maximumRoomCharacters,
      (icon ?? "").utf8.count <= Self.maximumNameLength
    else { return false }
    if let name { (self.name, replaced) = (name, configured) }
    if let icon { self.icon = icon }
    return true
  }

  /// Takes the configured room: a name that was given in place of another one is forgotten, since the configuration is newer.
  mutating func configure(room: String) {
    if let replaced, replaced != room { (name, self.replaced) = (nil, nil) }
  }

  /// One line of text that can be seen; nil for nothing.
  private static func given(_ text: String) -> String? {
    let line = String(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? " " : Character($0) })
      .trimmingASCIISpace
    let isSeen = line.unicodeScalars.contains {
      !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint
        && $0.properties.generalCategory != .format
    }
    return isSeen && line != "null" ? line : nil
  }

  /// Keeps a string, or forgets it; returns false when there are too many, or it is too long.
  mutating func setString(_ name: String, to value: String?) -> Bool {
    guard let value else { return strings.removeValue(forKey: name) != nil }
    guard (1...Self.maximumNameLength).contains(name.utf8.count),
      value.utf8.count <= Self.maximumStringLength,
      strings[name] != nil || strings.count < Self.maximumStrings
    else { return false }
    strings[name] = value
    return true
  }
}

/// The text in which notes are stored: a line for each, percent-encoded where a line needs it.
extension ZoneNotes {
  /// Reads what ``stored`` has written; what can't be read is left out.
  public init(stored: String) {
    // Bytes: a space before a combining mark is no character of its own.
    for line in stored.utf8.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        .map(Self.plain)
      switch (words.first, words.count) {
      case ("name", 2): _ = set(name: words[1], icon: "")
      case ("instead-of", 2) where name != nil: replaced = words[1]
      case ("icon", 2): _ = set(name: "", icon: words[1])
      case ("household", 2): household = ZoneIdentity.isHousehold(words[1]) ? words[1] : nil
      case ("goodbye", 3): goodbye = Int(words[2]).map { ZoneGoodbye(boot: words[1], seconds: $0) }
      case ("dark", 1): isLit = false
      case ("locked", 1): isLocked = true
      case ("string", 3): _ = setString(words[1], to: words[2])
      default: break
      }
    }
  }

  /// One line for each note.
  public var stored: String {
    var lines = ["icon \(Self.escaped(icon))"]
    if let name { lines.append("name \(Self.escaped(name))") }
    if name != nil, let replaced { lines.append("instead-of \(Self.escaped(replaced))") }
    if let household { lines.append("household \(household)") }
    if let goodbye { lines.append("goodbye \(Self.escaped(goodbye.boot)) \(goodbye.seconds)") }
    if !isLit { lines.append("dark") }
    if isLocked { lines.append("locked") }
    lines += strings.sorted { $0.key < $1.key }
      .map { "string \(Self.escaped($0.key)) \(Self.escaped($0.value))" }
    return lines.joined(separator: "\n")
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%", "\u{0}"..." ":
        result += "%" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func plain(_ text: Substring.UTF8View) -> String {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%"),
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else {
        bytes.append(byte)
        continue
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
