extension Media {
  private static let containerTypes: Set<String> = [
    "audio/x-mpegurl", "audio/mpegurl", "application/x-mpegurl", "audio/x-scpls", "application/pls+xml",
    "application/xspf+xml", "video/x-ms-asx", "audio/x-ms-wax", "text/x-opml", "text/xml",
  ]

  private static let containerNames: Set<String> = ["m3u", "m3u8", "pls", "xspf", "asx", "wax", "opml"]

  /// MIME type in lower case and without parameters.
  var mimeType: String? {
    contentFormat.map { format in
      format.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
    }
  }

  /// True when the MIME type or the file name says that this may be a list of tracks (M3U, PLS, XSPF, ASX,
  /// OPML or DIDL-S). Only its content tells for sure.
  public var looksLikeContainer: Bool {
    if let mimeType, Self.containerTypes.contains(mimeType) { return true }
    let path = uri.prefix { $0 != "?" && $0 != "#" }
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return false }
    return Self.containerNames.contains(path[path.index(after: dot)...].lowercased())
  }
}
