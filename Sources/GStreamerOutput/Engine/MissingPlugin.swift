import CGStreamer

/// Says in plain words which decoder is missing and which Debian package contains it.
struct MissingPlugin: Hashable {
  /// For users.
  var text: String
  /// The data isn't sound at all but text or a picture (a login page, an error page).
  var isText: Bool

  init(_ structure: UnsafePointer<GstStructure>) {
    let string = Self.string
    let kind = string(structure, "type") ?? "element"
    let name = string(structure, "name") ?? "what it needs"
    var detail = ""
    if kind == "decoder", let value = gst_structure_get_value(structure, "detail"),
      let caps = gst_value_get_caps(value), let first = gst_caps_get_structure(caps, 0),
      let media = gst_structure_get_name(first)
    {
      detail = String(cString: media)
    } else {
      detail = string(structure, "detail") ?? ""
    }
    isText = detail.hasPrefix("text/") || detail.hasPrefix("image/") || detail == "application/xml"
    text =
      detail == Self.smoothStreaming
      ? "Smooth Streaming isn't supported, so use the stream's HLS or DASH address"
      : "the \(kind) “\(name)” isn't installed; \(Self.advice(for: detail, isInstalled: Self.isInstalled))"
  }

  /// Left out on purpose; see ``DecoderList``.
  private static let smoothStreaming = "application/vnd.ms-sstr+xml"

  /// What to do about caps of this name, which no element accepts.
  ///
  /// - Parameter isInstalled: whether an element of this name is installed.
  static func advice(for media: String, isInstalled: (String) -> Bool) -> String {
    let package = package(media)
    // If the package is installed, it doesn't contain what is missing.
    if let element = package.element, isInstalled(element) {
      return "GStreamer can't read it here, so convert the file (to FLAC, for instance)"
    }
    return "install \(package.name)"
  }

  /// The Debian package that decodes caps of this name; if it is only the likely one, also an element that shows
  /// whether it is installed.
  private static func package(_ media: String) -> (name: String, element: String?) {
    switch media {
    case "audio/mpeg", "audio/x-flac", "audio/x-wavpack", "audio/x-speex", "application/x-icy",
      "audio/x-wav", "video/quicktime", "audio/x-m4a", "souphttpsrc":
      ("gstreamer1.0-plugins-good (and gstreamer1.0-libav for AAC)", nil)
    case "audio/x-vorbis", "audio/x-opus", "application/ogg", "audio/ogg", "audio/x-raw":
      ("gstreamer1.0-plugins-base", nil)
    case "application/x-hls", "audio/x-dsd", "audio/x-aiff", "audio/x-unaligned-raw":
      ("gstreamer1.0-plugins-bad", nil)
    // Only read from files.
    case "audio/x-w64": ("gstreamer1.0-plugins-bad", "sfdec")
    case "video/x-ms-asf": ("gstreamer1.0-plugins-ugly", nil)
    default: ("gstreamer1.0-libav", "avdec_aac")
    }
  }

  private static func isInstalled(_ element: String) -> Bool {
    guard let factory = gst_element_factory_find(element) else { return false }
    gst_object_unref(UnsafeMutableRawPointer(factory))
    return true
  }

  private static func string(_ structure: UnsafePointer<GstStructure>, _ name: String) -> String? {
    gst_structure_get_string(structure, name).map { String(cString: $0) }
  }
}
