import CGStreamer
import Glibc
import Player

/// The element that reads a URI.
enum TrackSource {
  /// What a URI may be, after all checks.
  enum Location: Hashable {
    case network(String)
    case file(path: String)
  }

  /// Decides whether `uri` may be read.
  ///
  /// - Throws: ``PlaybackFailure`` of kind `refusedURI` or `notFound`.
  static func location(of uri: String, directories: [String]) throws(PlaybackFailure) -> Location {
    let scheme = uri.prefix { $0 != ":" }.lowercased()
    switch scheme {
    case "http", "https":
      guard uri.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }), uri.utf8.count > scheme.utf8.count + 3 else {
        throw PlaybackFailure(.refusedURI, "The address \(redacted(uri: uri)) is malformed.")
      }
      return .network(uri)
    case "file":
      return .file(path: try allowedPath(uri, directories))
    default:
      throw PlaybackFailure(
        .refusedURI, "\(redacted(uri: uri)) is refused: only http, https and file addresses are played.")
    }
  }

  private static func allowedPath(
    _ uri: String, _ directories: [String]
  ) throws(PlaybackFailure) -> String {
    guard let raw = g_filename_from_uri(uri, nil, nil) else {
      throw PlaybackFailure(.refusedURI, "The file address \(redacted(uri: uri)) is malformed.")
    }
    defer { g_free(raw) }
    // Answer alike for what is outside and what isn't there, or the difference tells what exists.
    let refusal = PlaybackFailure(
      .refusedURI,
      "\(redacted(uri: uri)) isn't a file below one of the configured directories.")
    guard let path = canonical(String(cString: raw)) else { throw refusal }
    let isAllowed = directories.contains { directory in
      guard let root = canonical(directory) else { return false }
      return root == "/" || path.hasPrefix(root + "/")
    }
    var status = stat()
    guard isAllowed, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw refusal }
    return path
  }

  private static func canonical(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Makes the element, which reports redirects as errors; the caller owns the floating reference.
  static func make(
    _ location: Location, configuration: OutputConfiguration
  ) -> UnsafeMutablePointer<GstElement>? {
    switch location {
    case .file(let path):
      guard let source = gst_element_factory_make("filesrc", nil) else { return nil }
      vireo_set_string(source, "location", path)
      return source
    case .network(let uri):
      guard let source = soup(uri) ?? gst_element_make_from_uri(GST_URI_SRC, uri, nil, nil) else {
        return nil
      }
      let timeout = max(1, Int32(clamping: configuration.networkTimeout.components.seconds))
      set(source, "timeout", timeout)
      // Resuming where a connection broke, not trying a dead server again and again.
      set(source, "retries", 1)
      set(source, "iradio-mode", 1)
      set(source, "automatic-redirect", 0)
      set(source, "blocksize", 16 * 1024)
      if vireo_has_property(source, "user-agent") != 0 {
        vireo_set_string(source, "user-agent", configuration.userAgent)
      }
      return source
    }
  }

  /// What nearly every host reads HTTP with; looking for it among all that read addresses takes a while.
  private static func soup(_ uri: String) -> UnsafeMutablePointer<GstElement>? {
    guard let source = gst_element_factory_make("souphttpsrc", nil) else { return nil }
    vireo_set_string(source, "location", uri)
    return source
  }

  private static func set(_ element: UnsafeMutablePointer<GstElement>, _ name: String, _ value: Int32) {
    if vireo_has_property(element, name) != 0 { vireo_set_int(element, name, value) }
  }
}

extension TrackSource.Location {
  var isNetwork: Bool {
    if case .network = self { true } else { false }
  }

  /// Whether the data is pushed through a read-ahead buffer, rather than pulled from where the demuxer wants it.
  ///
  /// MP4's demuxer, when it pulls, leaves out the last packet of a track that begins with encoder delay.
  var isPushed: Bool {
    switch self {
    case .network: true
    case .file(let path):
      [".m4a", ".mp4", ".m4b", ".aac", ".mov"].contains { path.lowercased().hasSuffix($0) }
    }
  }
}

extension Media {
  /// Ogg, by its name or type. Its demuxer finds duration and positions only when it can read where it wants.
  var isOgg: Bool {
    let path = uri.prefix { $0 != "?" && $0 != "#" }.lowercased()
    if [".ogg", ".oga", ".opus"].contains(where: { path.hasSuffix($0) }) { return true }
    guard let format = contentFormat?.lowercased() else { return false }
    return format.contains("ogg") || format.contains("opus") || format.contains("vorbis")
  }
}
