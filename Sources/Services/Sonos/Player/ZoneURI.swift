import Text

/// What a controller of the Sonos class means by an address.
enum ZoneURI: Sendable, Hashable {
  /// One track, by its real address.
  case track(String)
  /// A station: the addresses to try, at least one.
  case station([String])
  /// The queue of the zone with this UID.
  case queue(of: String)
  /// The group of the zone with this UID.
  case group(of: String)
  /// The stored playlist with this number.
  case playlist(UInt32)
  /// A container of a music library, which there isn't.
  case library
  /// Services, inputs and schemes that can't be played.
  case unsupported

  /// The scheme under which stations are reported.
  static let stationScheme = "x-rincon-mp3radio"
  private static let playlistFile = "file:///jffs/settings/savedqueues.rsq#"

  init(_ text: String) {
    let text = text.trimmingASCIISpace
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      self = .unsupported
      return
    }
    let scheme = text[..<colon].lowercased()
    let rest = String(text[colon...].dropFirst())
    switch scheme {
    case "http", "https": self = .track(Self.withPlainPort(text))
    case Self.stationScheme, "aac", "hls-radio": self = Self.station(rest)
    case "x-rincon-queue": self = .queue(of: Self.beforeHash(rest))
    case "x-rincon": self = .group(of: rest)
    case "file": self = Self.playlist(behind: Self.playlistFile, in: text) ?? .unsupported
    case "x-rincon-playlist":
      let object = rest.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(rest[$0...].dropFirst()) } ?? ""
      self = Self.playlist(behind: "SQ:", in: object) ?? .library
    default: self = .unsupported
    }
  }

  /// `//host/path`, or a whole address behind `//`, whose colons may be escaped.
  private static func station(_ rest: String) -> ZoneURI {
    let hasHost = rest.hasPrefix("//")
    let address = hasHost ? String(rest.dropFirst(2)) : rest
    let lowered = address.lowercased()
    for scheme in ["http", "https"] {
      if lowered.hasPrefix("\(scheme)://") { return .station([withPlainPort(address)]) }
      if lowered.hasPrefix("\(scheme)%3a//") {
        return .station([withPlainPort("\(scheme):\(address.dropFirst(scheme.count + 3))")])
      }
    }
    // `x-rincon-mp3radio:spotify…` and the like.
    guard hasHost, !address.isEmpty else { return .unsupported }
    // The controller has replaced the scheme, so nobody knows which one it was.
    return .station(["http://\(address)", "https://\(address)"].map(withPlainPort))
  }

  /// An address with a plain colon before the port: one controller escapes every colon but the first.
  private static func withPlainPort(_ address: String) -> String {
    guard let start = address.firstPlace(of: "://")?.upperBound else { return address }
    let host = address[start...].prefix { !"/?#".contains($0) }
    guard let colon = host.firstPlace(of: "%3a") ?? host.firstPlace(of: "%3A") else { return address }
    return address[..<colon.lowerBound] + ":" + address[colon.upperBound...]
  }

  private static func playlist(behind prefix: String, in text: String) -> ZoneURI? {
    guard text.hasPrefix(prefix), let number = UInt32(text.dropFirst(prefix.count)), number > 0 else {
      return nil
    }
    return .playlist(number)
  }

  private static func beforeHash(_ text: String) -> String {
    String(decoding: text.utf8.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
  }

  // MARK: Writing

  static func queue(_ uid: String) -> String { "x-rincon-queue:\(uid)#0" }
  static func group(_ uid: String) -> String { "x-rincon:\(uid)" }
  static func playlist(_ id: UInt32) -> String { "\(playlistFile)\(id)" }

  /// How a station is reported that no controller has named.
  static func station(_ uri: String) -> String {
    let lowered = uri.lowercased()
    return lowered.hasPrefix("http://") || lowered.hasPrefix("https://") ? "\(stationScheme)://\(uri)" : uri
  }
}
