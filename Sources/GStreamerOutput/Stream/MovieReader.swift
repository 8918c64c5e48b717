import CGStreamer
import Synchronization
import Threads

/// Reads an MP4 file's length on the way to the demuxer, and corrects what would mislead the demuxer.
final class MovieReader: Sendable {
  private struct State {
    var movie = FragmentedMovie()
    var duration: guint64?
    var isLonger = false
  }

  private let state = Mutex(State())

  /// The duration that the demuxer was given is ``MovieHeader/extension`` longer than the file's.
  var hasExtendedDuration: Bool { state.withLock { $0.isLonger } }
  /// The file is fragmented; the demuxer knows at most its first fragment.
  var isFragmented: Bool { state.withLock { $0.movie.isFragmented } }
  /// Duration of all fragments in nanoseconds; nil if the file doesn't say.
  var fragmentedDuration: guint64? { state.withLock { $0.duration } }

  /// Watches `element` if it is MP4's demuxer.
  func watch(_ element: UnsafeMutablePointer<GstElement>) {
    guard String(cString: vireo_factory_name(element)) == "qtdemux",
      let pad = gst_element_get_static_pad(element, "sink")
    else { return }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER,
      { pad, info, context in
        guard let pad, let info, let context, let buffer = vireo_probe_buffer(info) else {
          return GST_PAD_PROBE_OK
        }
        let reader = CallbackContext.object(context, as: MovieReader.self)
        reader.read(buffer, at: pad)
        if let changed = reader.lengthen(buffer) { vireo_probe_replace(info, changed) }
        return GST_PAD_PROBE_OK
      },
      CallbackContext.retain(self),
      { CallbackContext.release($0) })
  }

  private func read(_ buffer: UnsafeMutablePointer<GstBuffer>, at pad: UnsafeMutablePointer<GstPad>) {
    guard buffer.pointee.offset != guint64.max, !state.withLock({ $0.movie.isComplete }), isFile(pad) else {
      return
    }
    var map = GstMapInfo()
    guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return }
    let bytes = UnsafeRawBufferPointer(start: map.data, count: Int(map.size))
    let isNews = state.withLock { state in
      state.movie.take(bytes, at: buffer.pointee.offset)
      return state.movie.isComplete && state.movie.isFragmented
    }
    gst_buffer_unmap(buffer, &map)
    guard isNews else { return }
    var length: gint64 = 0
    let isKnown = gst_pad_peer_query_duration(pad, GST_FORMAT_BYTES, &length) != 0 && length > 0
    state.withLock { $0.duration = $0.movie.duration(length: isKnown ? guint64(length) : nil) }
  }

  /// Whether the data is a file's bytes. A list stream (HLS, DASH) has pieces of files, and knows its length and
  /// positions itself.
  private func isFile(_ pad: UnsafeMutablePointer<GstPad>) -> Bool {
    guard let event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0) else { return true }
    defer { gst_event_unref(event) }
    return vireo_event_segment(event).format != GST_FORMAT_TIME
  }

  /// Extends the duration in `buffer`, which it consumes; nil if nothing had to change (and nothing was consumed).
  private func lengthen(_ buffer: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer>? {
    var map = GstMapInfo()
    guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return nil }
    let bytes = UnsafeRawBufferPointer(start: map.data, count: Int(map.size))
    let found = MovieHeader(in: bytes)
    gst_buffer_unmap(buffer, &map)
    guard let found, let writable = vireo_buffer_writable(buffer) else { return nil }
    let flags = GstMapFlags(rawValue: GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
    guard gst_buffer_map(writable, &map, flags) != 0 else { return writable }
    found.write(to: UnsafeMutableRawBufferPointer(start: map.data, count: Int(map.size)))
    gst_buffer_unmap(writable, &map)
    state.withLock { $0.isLonger = true }
    return writable
  }
}
