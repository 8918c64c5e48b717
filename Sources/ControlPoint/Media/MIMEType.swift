import Text

/// A type of content, compared without regard to case and by all the names in use for it.
public struct MIMEType: Sendable, Hashable {
  /// Lower case, without parameters; of several names for the same, always the same one.
  public let name: String
  /// Lower-case names.
  public let parameters: [String: String]

  /// Nil for what has no slash.
  public init?(_ text: String) {
    guard text.utf8.count <= 256 else { return nil }
    let parts = text.split(separator: ";")
    guard let first = parts.first, first.utf8.contains(UInt8(ascii: "/")) else { return nil }
    let name = first.trimmingASCIISpace.lowercased()
    self.name = Self.groups[name] ?? name
    var parameters: [String: String] = [:]
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2 else { continue }
      parameters[pair[0].trimmingASCIISpace.lowercased()] = pair[1].trimmingASCIISpace
    }
    self.parameters = parameters
  }

  /// The type by the end of an address's path; nil for an unknown one.
  public init?(ofFile address: String) {
    let path = address.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard let dot = path.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    let end = path[path.index(after: dot)...]
    guard (1...8).contains(end.count), let name = Self.files[Substring(end).lowercased()] else { return nil }
    self.init(name)
  }

  /// True for what says nothing of the content.
  var isUnspecific: Bool { ["application/octet-stream", "audio/*", "*/*", "audio/unknown"].contains(name) }

  public var isAudio: Bool {
    (name.hasPrefix("audio/") && !isList) || name == "application/vnd.apple.mpegurl"
  }
  public var isImage: Bool { name.hasPrefix("image/") }
  /// True for a list of tracks or stations.
  public var isList: Bool { Self.lists.contains(name) }
  public var isLossless: Bool { Self.lossless.contains(name) }

  private static let lists: Set<String> = [
    "audio/x-mpegurl", "audio/x-scpls", "video/x-ms-asf", "audio/x-ms-wax",
  ]

  private static let lossless: Set<String> = [
    "audio/flac", "audio/wav", "audio/aiff", "audio/x-wavpack", "audio/x-ape", "audio/dsf", "audio/dff",
    "audio/l16", "audio/l24", "audio/alac",
  ]

  /// The names in use for each type, the one that stands for all of them first.
  static let aliases: [[String]] = [
    ["audio/flac", "audio/x-flac", "application/flac", "application/x-flac"],
    ["audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave", "audio/x-pn-wav"],
    ["audio/mpeg", "audio/mp3", "audio/x-mpeg", "audio/x-mp3", "audio/mpeg3", "audio/x-mpeg3", "audio/mpg"],
    ["audio/mp4", "audio/x-m4a", "audio/m4a", "audio/x-mp4"],
    ["audio/aac", "audio/x-aac", "audio/aacp", "audio/x-aacp", "audio/vnd.dlna.adts", "audio/adts"],
    [
      "audio/ogg", "application/ogg", "audio/x-ogg", "application/x-ogg", "audio/vorbis", "audio/x-vorbis",
      "audio/x-vorbis+ogg",
    ],
    ["audio/opus", "audio/x-opus", "audio/x-opus+ogg"],
    ["audio/aiff", "audio/x-aiff", "audio/aif"],
    ["audio/x-ms-wma", "audio/wma"],
    ["audio/x-wavpack", "audio/wavpack"],
    ["audio/x-ape", "audio/ape", "audio/x-monkeys-audio"],
    ["audio/dsf", "audio/x-dsf", "audio/dsd", "audio/x-dsd"],
    ["audio/dff", "audio/x-dff"],
    ["audio/x-matroska", "audio/webm"],
    ["application/vnd.apple.mpegurl", "application/x-mpegurl"],
    ["audio/x-mpegurl", "audio/mpegurl"],
    ["audio/x-scpls", "audio/scpls", "application/pls+xml"],
  ]

  private static let groups: [String: String] = {
    var groups: [String: String] = [:]
    for names in aliases {
      for name in names { groups[name] = names[0] }
    }
    return groups
  }()

  private static let files: [String: String] = [
    "flac": "audio/flac", "wav": "audio/wav", "mp3": "audio/mpeg", "m4a": "audio/mp4", "mp4": "audio/mp4",
    "aac": "audio/aac",
    "ogg": "audio/ogg", "oga": "audio/ogg", "opus": "audio/opus", "aif": "audio/aiff", "aiff": "audio/aiff",
    "wma": "audio/x-ms-wma", "wv": "audio/x-wavpack", "ape": "audio/x-ape", "dsf": "audio/dsf",
    "dff": "audio/dff",
    "mka": "audio/x-matroska", "m3u": "audio/x-mpegurl", "pls": "audio/x-scpls", "jpg": "image/jpeg",
    "jpeg": "image/jpeg", "png": "image/png",
  ]
}
