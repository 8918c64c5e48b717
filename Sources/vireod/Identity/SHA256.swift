import CGStreamer

/// SHA-256 from GLib, which GStreamer needs anyway.
enum SHA256 {
  static func hash(_ message: [UInt8]) -> [UInt8] {
    let sum = g_checksum_new(G_CHECKSUM_SHA256)
    defer { g_checksum_free(sum) }
    g_checksum_update(sum, message, gssize(message.count))
    var digest = [UInt8](repeating: 0, count: 32)
    var length = gsize(digest.count)
    g_checksum_get_digest(sum, &digest, &length)
    return digest
  }
}
