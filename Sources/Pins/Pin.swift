import Text

/// A favourite that a control point, the page or `vireoctl` has pinned (OpenHome Pins:1): what it plays, and how it is shown.
///
/// Texts are kept within the lengths that the reference player has, in bytes of UTF-8.
public struct Pin: Sendable, Hashable {
  static let longestMode = 16
  static let longestType = 32
  static let longestURI = 512
  static let longestTitle = 128
  static let longestDetail = 512
  static let longestPicture = 512

  /// Who plays it: `url`, `radio`, `transport`, `server` or `playlist` (``PinURI/modes``).
  public let mode: String
  /// What of that mode it is; free text of whoever made the pin.
  public let type: String
  /// `MODE://TYPE?key=value&version=1`; see ``PinURI``.
  public let uri: String
  public let title: String
  /// A second line for people.
  public let detail: String
  /// The address of a picture; empty for none.
  public let picture: String
  /// Whether its tracks are shuffled.
  public let isShuffled: Bool

  /// Checks as SetDevice does, in its order: the mode, the URI, its version.
  ///
  /// Title and detail are cut if they are too long; a picture with too long an address is left out.
  ///
  /// - Throws: `modeNotSupported`; `uriNotSupported` for an empty or too long URI, another version, and too long a type.
  public init(
    mode: String, type: String, uri: String, title: String, detail: String = "", picture: String = "",
    isShuffled: Bool = false
  ) throws(PinError) {
    guard PinURI.modes.contains(mode) else { throw .modeNotSupported }
    guard !uri.isEmpty, uri.utf8.count <= Self.longestURI, type.utf8.count <= Self.longestType,
      PinURI.hasVersion(uri)
    else { throw .uriNotSupported }
    self.mode = mode
    self.type = type
    self.uri = uri
    self.title = Self.cut(title, to: Self.longestTitle)
    self.detail = Self.cut(detail, to: Self.longestDetail)
    self.picture = picture.utf8.count <= Self.longestPicture ? picture : ""
    self.isShuffled = isShuffled
  }

  /// A pin of what Vireo itself writes.
  ///
  /// - Throws: `uriNotSupported` if the URI gets too long.
  public init(
    _ uri: PinURI, title: String, detail: String = "", picture: String = "", isShuffled: Bool = false
  ) throws(PinError) {
    try self.init(
      mode: uri.mode, type: uri.type, uri: uri.text, title: title, detail: detail, picture: picture,
      isShuffled: isShuffled)
  }

  /// The longest beginning of `text` that is whole characters.
  private static func cut(_ text: String, to length: Int) -> String {
    guard text.utf8.count > length else { return text }
    var end = text.startIndex
    var count = 0
    while end < text.endIndex {
      count += text[end].utf8.count
      guard count <= length else { break }
      end = text.index(after: end)
    }
    return String(text[..<end])
  }
}
