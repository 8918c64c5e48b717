import CGStreamer
import CSoupGuard
import Synchronization
import Threads

/// Counts what a source puts out, so that a silent server can be told from a slow one.
final class ByteMeter: Sendable {
  private struct State {
    var bytes = 0
    var hasEnded = false
  }

  private let state = Mutex(State())

  var bytes: Int { state.withLock { $0.bytes } }

  func attach(to source: UnsafeMutablePointer<GstElement>, isNetwork: Bool) {
    guard let pad = gst_element_get_static_pad(source, "src") else { return }
    defer { gst_object_unref(pad) }
    attach(at: pad, isNetwork: isNetwork)
  }

  /// Listens at a source's pad. That of a network says in the source's place that its length isn't known, until the first
  /// data or the end have come.
  ///
  /// GstBaseSrc writes down the length that it read before when it is asked from another thread, and souphttpsrc (1.22)
  /// writes the true one without a lock as soon as the server has answered: a question in between loses it for good,
  /// and Ogg's demuxer, which asks later, gives up. About one track in five hundred fell to that.
  func attach(at pad: UnsafeMutablePointer<GstPad>, isNetwork: Bool) {
    let counted = GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue
    // Files are also read by those behind them, without a word of how much has come.
    let withheld = GST_PAD_PROBE_TYPE_QUERY_UPSTREAM.rawValue | GST_PAD_PROBE_TYPE_PUSH.rawValue
    gst_pad_add_probe(
      pad, GstPadProbeType(rawValue: isNetwork ? counted | withheld : counted),
      { _, info, context in
        guard let info, let context else { return GST_PAD_PROBE_OK }
        let meter = HandOver.borrow(context, as: ByteMeter.self)
        let type = info.pointee.type.rawValue
        if type & GST_PAD_PROBE_TYPE_QUERY_UPSTREAM.rawValue != 0 {
          return vireo_probe_query(info).map(meter.answer) ?? GST_PAD_PROBE_OK
        }
        csoupguard_mend_stream()
        if type & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
          if let buffer = vireo_probe_buffer(info) { meter.add(Int(gst_buffer_get_size(buffer))) }
        } else if let event = vireo_probe_event(info) {
          meter.setComplete(event.pointee.type == GST_EVENT_EOS)
        }
        return GST_PAD_PROBE_OK
      },
      HandOver.give(self),
      { HandOver.end($0) })
    Self.keepReading(pad)
  }

  private func answer(_ query: UnsafeMutablePointer<GstQuery>) -> GstPadProbeReturn {
    guard query.pointee.type == GST_QUERY_DURATION, !hasBegun else { return GST_PAD_PROBE_OK }
    var format = GST_FORMAT_UNDEFINED
    gst_query_parse_duration(query, &format, nil)
    gst_query_set_duration(query, format, -1)
    return GST_PAD_PROBE_HANDLED
  }

  /// Keeps a source reading, whatever becomes of the buffer behind it.
  ///
  /// Its allocation queries travel in line with the data: one that waits in a full read-ahead buffer would stop it, one that
  /// comes when MP4's demuxer has just had enough is thrown away there without an answer, which stops it for good (queue2,
  /// GStreamer 1.22), and nobody downstream has memory to offer anyhow.
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

  /// The source has nothing more.
  var isComplete: Bool { state.withLock { $0.hasEnded } }

  private func setComplete(_ value: Bool) {
    state.withLock { $0.hasEnded = value }
  }

  private func add(_ bytes: Int) {
    state.withLock { $0.bytes &+= bytes }
  }
}
