import CGStreamer

/// Addresses that are relative to another.
enum RelativeAddress {
  /// What `address` means in the file at `base`; nil if that makes no sense.
  static func resolved(_ address: String, in base: String) -> String? {
    guard let joined = gst_uri_join_strings(base, address) else { return nil }
    defer { g_free(joined) }
    return String(cString: joined)
  }
}
