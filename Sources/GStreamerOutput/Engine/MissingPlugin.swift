import CGStreamer

/// Says in plain words which decoder is missing and which Debian package has it.
struct MissingPlugin: Hashable {
  /// For people.
  var text: String
  /// What should be decoded is no sound at all but a text (a login page, an error page).
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
    text = "the \(kind) “\(name)” isn't installed; install \(Self.package(detail))"
  }

  /// The Debian package that decodes caps of this name.
  static func package(_ media: String) -> String {
    switch media {
    case "audio/mpeg", "audio/x-flac", "audio/x-wavpack", "audio/x-speex", "application/x-icy",
      "audio/x-wav", "video/quicktime", "audio/x-m4a", "souphttpsrc":
      "gstreamer1.0-plugins-good (and gstreamer1.0-libav for AAC)"
    case "audio/x-vorbis", "audio/x-opus", "application/ogg", "audio/ogg", "audio/x-raw":
      "gstreamer1.0-plugins-base"
    case "application/x-hls", "audio/x-dsd", "audio/x-aiff", "audio/x-unaligned-raw":
      "gstreamer1.0-plugins-bad"
    case "video/x-ms-asf": "gstreamer1.0-plugins-ugly"
    default: "gstreamer1.0-libav"
    }
  }

  private static func string(_ structure: UnsafePointer<GstStructure>, _ name: String) -> String? {
    gst_structure_get_string(structure, name).map { String(cString: $0) }
  }
}
