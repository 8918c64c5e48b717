/// Where songs that are kept are served: `/uploads/KEY`, with an ending that is for others' eyes alone.
public enum SongAddress {
  public static let path = "/uploads/"

  /// The key in the path of a request; nil where none can be.
  public static func key(inPath path: String) -> String? {
    guard path.hasPrefix(Self.path) else { return nil }
    let rest = path.dropFirst(Self.path.count)
    let key = rest.prefix { $0 != "." }
    guard UploadedSong.isKey(key), rest.utf8.count <= key.utf8.count + 8, !rest.contains("/") else {
      return nil
    }
    return String(key)
  }

  /// The key in an address of this speaker, under whatever host name or address it was known; nil where none can be.
  public static func key(inURI uri: String) -> String? { parts(of: uri).flatMap { key(inPath: $0.path) } }

  /// The same address at another server (`http://127.0.0.1:49494`); nil if it isn't one of a song.
  public static func moved(_ uri: String, to base: String) -> String? {
    guard let parts = parts(of: uri), key(inPath: parts.path) != nil else { return nil }
    return base + parts.path
  }

  private static func parts(of uri: String) -> (base: Substring, path: String)? {
    let scheme = "http://"
    guard uri.hasPrefix(scheme) else { return nil }
    let rest = uri.dropFirst(scheme.count)
    guard let slash = rest.firstIndex(of: "/") else { return nil }
    return (uri[..<slash], String(rest[slash...]))
  }
}
