import CGStreamer
import CSoupGuard
import Synchronization
import Threads

/// Counts the bytes that a source puts out, so that a silent server can be told from a slow one.
final class ByteMeter: Sendable {
  private struct State {
    var bytes = 0
    var hasEnded = false
  }

  private let state = Mutex(State())
  /// Called on the source's thread when it has put out everything.
  private let atEnd: @Sendable () -> Void

  init(atEnd: @escaping @Sendable () -> Void = {}) {
    self.atEnd = atEnd
  }

  var bytes: Int { state.withLock { $0.bytes } }

  func attach(to source: UnsafeMutablePointer<GstElement>, isNetwork: Bool) {
    guard let pad = gst_element_get_static_pad(source, "src") else { return }
    defer { gst_object_unref(pad) }
    attach(at: pad, isNetwork: isNetwork)
  }

  /// Counts at a source's pad. For a network source, it also answers that the length isn't known until the first data
  /// or the end has come.
  ///
  /// When another thread asks for the length, GstBaseSrc stores the value that it read before; souphttpsrc (1.22)
  /// stores the true one without a lock as soon as the server has answered. A query in between loses the true length
  /// for good, and Ogg's demuxer, which asks later, gives up. That happened to about one track in five hundred.
  func attach(at pad: UnsafeMutablePointer<GstPad>, isNetwork: Bool) {
    let counted = GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue
    // Files are also read in pull mode, whose buffers a PUSH probe doesn't see.
    let withheld = GST_PAD_PROBE_TYPE_QUERY_UPSTREAM.rawValue | GST_PAD_PROBE_TYPE_PUSH.rawValue
    gst_pad_add_probe(
      pad, GstPadProbeType(rawValue: isNetwork ? counted | withheld : counted),
      { _, info, context in
        guard let info, let context else { return GST_PAD_PROBE_OK }
        let meter = CallbackContext.object(context, as: ByteMeter.self)
        let type = info.pointee.type.rawValue
        if type & GST_PAD_PROBE_TYPE_QUERY_UPSTREAM.rawValue != 0 {
          return vireo_probe_query(info).map(meter.answer) ?? GST_PAD_PROBE_OK
        }
        csoupguard_fix_stream_close()
        if type & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
          if let buffer = vireo_probe_buffer(info) { meter.add(Int(gst_buffer_get_size(buffer))) }
        } else if let event = vireo_probe_event(info) {
          meter.setComplete(event.pointee.type == GST_EVENT_EOS)
        }
        return GST_PAD_PROBE_OK
      },
      CallbackContext.retain(self),
      { CallbackContext.release($0) })
    Self.keepReading(pad)
  }

  private func answer(_ query: UnsafeMutablePointer<GstQuery>) -> GstPadProbeReturn {
    guard query.pointee.type == GST_QUERY_DURATION, !hasBegun else { return GST_PAD_PROBE_OK }
    var format = GST_FORMAT_UNDEFINED
    gst_query_parse_duration(query, &format, nil)
    gst_query_set_duration(query, format, -1)
    return GST_PAD_PROBE_HANDLED
  }

  /// Keeps a source reading, whatever the read-ahead buffer does, by dropping its allocation queries.
  ///
  /// They travel in line with the data: one that waits in a full read-ahead buffer would stop the source. One that
  /// comes when MP4's demuxer has just had enough is discarded there without an answer, which stops the source for good
  /// (queue2, GStreamer 1.22). No element downstream has memory to offer anyway.
  private static func keepReading(_ pad: UnsafeMutablePointer<GstPad>) {
    gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      { _, info, _ in
        guard let info, let query = vireo_probe_query(info),
          query.pointee.type == GST_QUERY_ALLOCATION
        else { return GST_PAD_PROBE_OK }
        return GST_PAD_PROBE_DROP
      }, nil, nil)
  }

  private var hasBegun: Bool { state.withLock { $0.bytes > 0 || $0.hasEnded } }

  /// The source has put out everything.
  var isComplete: Bool { state.withLock { $0.hasEnded } }

  private func setComplete(_ value: Bool) {
    state.withLock { $0.hasEnded = value }
    if value { atEnd() }
  }

  private func add(_ bytes: Int) {
    state.withLock { $0.bytes &+= bytes }
  }
}
