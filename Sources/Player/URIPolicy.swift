/// Which URIs the player follows at all. A pure check of the text; whoever opens the resource checks again what
/// the text leads to (symbolic links, redirects).
public struct URIPolicy: Sendable, Hashable {
  /// Schemes in lower case. `file` counts only below ``directories``.
  public var schemes: Set<String>
  /// Absolute directories that `file:` URIs may name something in; none by default.
  public var directories: [String]
  /// Longest URI in bytes.
  public var maximumLength: Int

  public init(
    schemes: Set<String> = ["http", "https", "file"], directories: [String] = [], maximumLength: Int = 8192
  ) {
    self.schemes = schemes
    self.directories = directories
    self.maximumLength = maximumLength
  }

  /// Throws `resourceNotFound` for a URI that isn't followed and `illegalMIMEType` for media that says itself that
  /// it isn't sound. An unknown type passes: the stream decides.
  func check(_ media: Media) throws(PlayerError) {
    guard allows(media.uri) else { throw .resourceNotFound }
    if let type = media.mimeType, type.hasPrefix("image/") || type == "text/html" { throw .illegalMIMEType }
  }

  /// True for an absolute URI of an allowed scheme, of sane length and without control characters.
  public func allows(_ uri: String) -> Bool {
    let text = uri.utf8
    guard text.count <= maximumLength, text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
      let colon = text.firstIndex(of: UInt8(ascii: ":"))
    else { return false }
    let scheme = uri[..<colon].lowercased()
    guard schemes.contains(scheme) else { return false }
    let rest = uri[text.index(after: colon)...]
    guard rest.hasPrefix("//") else { return false }
    let hierarchy = rest.dropFirst(2)
    let authority = hierarchy.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if scheme == "file" {
      return (authority.isEmpty || authority == "localhost")
        && allowsFile(encoded: hierarchy.dropFirst(authority.count))
    }
    return !authority.isEmpty
  }

  private func allowsFile(encoded: Substring) -> Bool {
    guard let path = Self.percentDecoded(encoded) else { return false }
    let parts = path.split(separator: UInt8(ascii: "/"))
    guard path.first == UInt8(ascii: "/"), !path.contains(0),
      !parts.contains(where: { $0.elementsEqual("..".utf8) })
    else { return false }
    return directories.contains { directory in
      let root = Array(directory.utf8).split(separator: UInt8(ascii: "/"))
      return directory.hasPrefix("/") && parts.count > root.count && parts.starts(with: root)
    }
  }

  /// The bytes that percent-encoded text stands for; nil for a broken escape.
  private static func percentDecoded(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
  }
}
