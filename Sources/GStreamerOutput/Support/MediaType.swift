import CGStreamer

/// The media type that `caps` name first (`audio/x-flac`); nil if they name none.
func mediaType(_ caps: UnsafeMutablePointer<GstCaps>) -> String? {
  guard gst_caps_is_any(caps) == 0, gst_caps_is_empty(caps) == 0,
    let structure = gst_caps_get_structure(caps, 0), let name = gst_structure_get_name(structure)
  else { return nil }
  return String(cString: name)
}
