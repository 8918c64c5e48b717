import CGStreamer

/// What the engine asks a track.
extension Track: TrackView {
  var isFlushing: Bool { feed.isFlushing }
  var reached: UInt? { feed.end }
  var changesLoudness: Bool { feed.changesLoudness }
  var decodedFormat: StreamFormat? { trim.decodedFormat }
  var isList: Bool { listeners.manifest.isList }
  var listedVariants: [String] { MasterPlaylist(listeners.manifest.bytes).variants }
  var awaitsAnswer: Bool { listeners.parts.awaitsAnswer }
  var awaitsEnd: Bool { reading?.awaitsEnd == true }

  var length: StreamLength {
    if listeners.movie.isFragmented { return .known(listeners.movie.fragmentedDuration) }
    // Ogg's demuxer only guesses.
    if let reading, reading.isOgg { return .known(reading.duration) }
    var found: gint64 = 0
    guard gst_element_query_duration(pipeline, GST_FORMAT_TIME, &found) != 0, found > 0 else {
      return .unanswered
    }
    let extended = listeners.movie.hasExtendedDuration ? MovieHeader.extension : 0
    return .known(trimmed(guint64(found) > extended ? guint64(found) - extended : guint64(found)))
  }

  /// A file whose tag is applied here, not upstream, is shorter than the demuxer says.
  private func trimmed(_ duration: guint64) -> guint64 {
    guard let end = trim.end, trim.rate > 0 else { return duration }
    return gst_util_uint64_scale_round(
      guint64(max(0, end - trim.skip)), 1_000_000_000, guint64(trim.rate))
  }

  var isStreamSeekable: Bool {
    if let reading, reading.isOgg { return reading.isSeekable }
    // The demuxer claims to be able to seek, but does nothing, or lands anywhere.
    if listeners.movie.isFragmented || listeners.seeks.manner == .unknown { return false }
    guard let query = gst_query_new_seeking(GST_FORMAT_TIME) else { return false }
    defer { gst_query_unref(query) }
    guard gst_element_query(pipeline, query) != 0 else { return false }
    var seekable: gboolean = 0
    gst_query_parse_seeking(query, nil, &seekable, nil, nil)
    return seekable != 0
  }

  var fileLength: Int? {
    guard !trim.hasOtherStreams, listeners.manifest.bytes.isEmpty else { return nil }
    var bytes: gint64 = 0
    guard gst_element_query_duration(source, GST_FORMAT_BYTES, &bytes) != 0, bytes > 0 else { return nil }
    return Int(bytes)
  }
}
