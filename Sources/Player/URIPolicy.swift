/// Which URIs the player accepts. Checks only the text; the code that opens the resource also checks where
/// the URI leads (symbolic links, redirects).
public struct URIPolicy: Sendable, Hashable {
  /// Allowed schemes in lower case. `file` is allowed only below ``directories``.
  public var schemes: Set<String>
  /// Absolute directories in which `file:` URIs are allowed; none by default.
  public var directories: [String]
  /// Maximum length of a URI in bytes.
  public var maximumLength: Int

  public init(
    schemes: Set<String> = ["http", "https", "file"], directories: [String] = [], maximumLength: Int = 8192
  ) {
    self.schemes = schemes
    self.directories = directories
    self.maximumLength = maximumLength
  }

  /// Checks URI and declared type. An unknown type passes: the stream decides.
  ///
  /// - Throws: `resourceNotFound` for a URI that isn't allowed, `illegalMIMEType` for media declared as
  ///   something other than sound.
  func check(_ media: Media) throws(PlayerError) {
    guard allows(media.uri) else { throw .resourceNotFound }
    if let type = media.mimeType, type.hasPrefix("image/") || type == "text/html" { throw .illegalMIMEType }
  }

  /// True for an absolute URI of an allowed scheme, within the maximum length and without control characters.
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
    guard let path = AddressEscaping.unescaped(encoded.utf8) else { return false }
    let parts = path.split(separator: UInt8(ascii: "/"))
    guard path.first == UInt8(ascii: "/"), !path.contains(0),
      !parts.contains(where: { $0.elementsEqual("..".utf8) })
    else { return false }
    return directories.contains { directory in
      let root = Array(directory.utf8).split(separator: UInt8(ascii: "/"))
      return directory.hasPrefix("/") && parts.count > root.count && parts.starts(with: root)
    }
  }
}
