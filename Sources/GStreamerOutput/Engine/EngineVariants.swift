import CGStreamer
import Player

/// Streams that come in several variants.
extension Engine {
  /// A variant of an HLS stream failed before any samples came: tries the next one of its list. False if there is none.
  func tryNextVariant(_ track: Track) -> Bool {
    guard track.state.format == nil, track.location.isNetwork else { return false }
    // The demuxer has tried the first.
    var left = track.variants ?? Array(MasterPlaylist(track.listeners.manifest.bytes).variants.dropFirst())
    guard !left.isEmpty, let joined = gst_uri_join_strings(track.listURI, left.removeFirst()) else {
      return false
    }
    defer { g_free(joined) }
    logger.info("A variant of \(redacted(uri: track.media.uri)) can't be played; trying the next one.")
    replace(track, uri: String(cString: joined), rawPCM: nil, variants: left)
    return true
  }
}
