import CGStreamer
import CSoupGuard
import Glibc
import Player
import Rooms

/// Makes the element that reads a URI, and decides which URIs may be read.
enum TrackSource {
  /// A URI that has passed all checks.
  enum Location: Hashable {
    /// Escaped as HTTP requires.
    case network(String)
    case file(path: String)
    /// Another room sends it.
    case room(SongcastURI)
  }

  /// Decides whether `uri` may be read.
  ///
  /// - Throws: ``PlaybackFailure`` of kind `refusedURI`.
  static func location(of uri: String, directories: [String]) throws(PlaybackFailure) -> Location {
    let scheme = uri.prefix { $0 != ":" }.lowercased()
    switch scheme {
    case "http", "https":
      guard let address = networkAddress(uri) else {
        throw PlaybackFailure(.refusedURI, "The address \(redacted(uri: uri)) is malformed.")
      }
      guard isValid(address) else {
        throw PlaybackFailure(
          .refusedURI, "\(redacted(uri: uri)) isn't an address that can be asked: look at its port and host.")
      }
      return .network(address)
    case "file":
      return .file(path: try allowedPath(uri, directories))
    default:
      if let address = SongcastURI(uri) { return .room(address) }
      throw PlaybackFailure(
        .refusedURI,
        "\(redacted(uri: uri)) is refused: only http and https addresses are played, and files below [playback] directories."
      )
    }
  }

  /// Whether `uri` may be read and is on the network.
  static func isNetwork(_ uri: String) -> Bool { networkAddress(uri) != nil }

  /// `uri`, escaped as HTTP requires; nil if it isn't on the network, or is malformed.
  private static func networkAddress(_ uri: String) -> String? {
    let scheme = uri.prefix { $0 != ":" }.lowercased()
    guard ["http", "https"].contains(scheme), let address = AddressEscaping.escaped(uri),
      address.utf8.count > scheme.utf8.count + 3
    else { return nil }
    return address
  }

  /// Whether the HTTP source can read `address`: a port may be too large, or brackets be left open.
  private static func isValid(_ address: String) -> Bool {
    g_uri_is_valid(address, G_URI_FLAGS_HAS_PASSWORD, nil) != 0
  }

  private static func allowedPath(
    _ uri: String, _ directories: [String]
  ) throws(PlaybackFailure) -> String {
    guard let raw = g_filename_from_uri(uri, nil, nil) else {
      throw PlaybackFailure(.refusedURI, "The file address \(redacted(uri: uri)) is malformed.")
    }
    defer { g_free(raw) }
    // The same failure for files outside and for missing ones: otherwise the difference would tell what exists.
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

  /// Makes the source, which reports redirects as errors; the caller owns the floating reference.
  static func make(
    _ location: Location, configuration: OutputConfiguration
  ) -> UnsafeMutablePointer<GstElement>? {
    switch location {
    // It never reads anything: see ``RoomPlayer``.
    case .room: return gst_element_factory_make("appsrc", nil)
    case .file(let path):
      guard let source = gst_element_factory_make("filesrc", nil) else { return nil }
      vireo_set_string(source, "location", path)
      return source
    case .network(let uri):
      guard let source = soup() ?? gst_element_make_from_uri(GST_URI_SRC, uri, nil, nil) else { return nil }
      setUp(source, configuration)
      aim(source, at: uri)
      return source
    }
  }

  /// Sets the address of a source that ``soup()`` or something like it made. Call it before the source runs.
  static func aim(_ source: UnsafeMutablePointer<GstElement>, at uri: String) {
    vireo_set_string(source, "location", uri)
    if uri.prefix(6).lowercased() == "https:" { csoupguard_note_certificates() }
  }

  static func setUp(_ source: UnsafeMutablePointer<GstElement>, _ configuration: OutputConfiguration) {
    csoupguard_fix_content_length()
    csoupguard_note_answers()
    let timeout = max(1, Int32(clamping: configuration.networkTimeout.components.seconds))
    set(source, "timeout", timeout)
    // Resume a broken connection, but don't try a dead server again and again.
    set(source, "retries", 1)
    set(source, "iradio-mode", 1)
    set(source, "automatic-redirect", 0)
    set(source, "blocksize", 16 * 1024)
    if vireo_has_property(source, "extra-headers") != 0 { askForPlainBytes(source) }
    if vireo_has_property(source, "user-agent") != 0 {
      vireo_set_string(source, "user-agent", configuration.userAgent)
    }
  }

  /// A compressed answer isn't seekable.
  private static func askForPlainBytes(_ source: UnsafeMutablePointer<GstElement>) {
    guard let headers = gst_structure_from_string("headers, Accept-Encoding=(string)identity", nil) else {
      return
    }
    vireo_set_pointer(source, "extra-headers", headers)
    gst_structure_free(headers)
  }

  /// The HTTP source that nearly every host has; searching all source elements for one takes a while.
  static func soup() -> UnsafeMutablePointer<GstElement>? { gst_element_factory_make("souphttpsrc", nil) }

  private static func set(_ element: UnsafeMutablePointer<GstElement>, _ name: String, _ value: Int32) {
    if vireo_has_property(element, name) != 0 { vireo_set_int(element, name, value) }
  }
}

extension TrackSource.Location {
  var isNetwork: Bool {
    if case .network = self { true } else { false }
  }

  var isRoom: Bool {
    if case .room = self { true } else { false }
  }

  /// Whether the data is pushed through a read-ahead buffer, rather than pulled by the demuxer.
  ///
  /// In pull mode, MP4's demuxer drops the last packet of a track that begins with encoder delay.
  var isPushed: Bool {
    switch self {
    case .network: true
    case .room: false
    case .file(let path):
      [".m4a", ".mp4", ".m4b", ".aac", ".mov"].contains { path.lowercased().hasSuffix($0) }
    }
  }
}
