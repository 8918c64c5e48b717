import CLibXML2

/// Resolves references to URIs.
public enum URIReference {
  /// The longest reference that is resolved, in bytes.
  public static let maximumLength = 4096

  /// Returns the absolute form of `reference` (RFC 3986, section 5); nil for what isn't a reference.
  public static func resolved(_ reference: String, against base: String) -> String? {
    guard !reference.isEmpty, reference.utf8.count <= maximumLength,
      let joined = xmlBuildURI(reference, base)
    else { return nil }
    defer { clibxml2_free(joined) }
    return String(cString: joined)
  }
}
