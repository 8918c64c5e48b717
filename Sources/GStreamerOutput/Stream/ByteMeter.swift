import CGStreamer
import CSoupGuard
import Threads

/// Counts what a source puts out, so that a silent server can be told from a slow one.
// Safe to share: the count is guarded by `monitor`.
final class ByteMeter: @unchecked Sendable {
  private let monitor = Monitor()
  private var count = 0
  private var hasEnded = false

  var bytes: Int { monitor.locked { count } }

  func attach(to source: UnsafeMutablePointer<GstElement>) {
    guard let pad = gst_element_get_static_pad(source, "src") else { return }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(
      pad,
      GstPadProbeType(
        rawValue: GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue),
      { _, info, context in
        csoupguard_mend_stream()
        guard let info, let context else { return GST_PAD_PROBE_OK }
        let meter = HandOver.borrow(context, as: ByteMeter.self)
        if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
          if let buffer = vireo_probe_buffer(info) { meter.add(Int(gst_buffer_get_size(buffer))) }
        } else if let event = vireo_probe_event(info) {
          meter.setComplete(event.pointee.type == GST_EVENT_EOS)
        }
        return GST_PAD_PROBE_OK
      },
      HandOver.give(self),
      { HandOver.end($0) })
  }

  /// Keeps `source` reading while all behind it is full.
  ///
  /// Its allocation queries travel in line with the data: one that waits in a full read-ahead buffer would stop it,
  /// and nobody downstream has memory to offer anyhow.
  static func keepReading(_ source: UnsafeMutablePointer<GstElement>) {
    guard let pad = gst_element_get_static_pad(source, "src") else { return }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      { _, info, _ in
        guard let info, let query = vireo_probe_query(info),
          query.pointee.type == GST_QUERY_ALLOCATION
        else { return GST_PAD_PROBE_OK }
        return GST_PAD_PROBE_DROP
      }, nil, nil)
  }

  /// The source has nothing more.
  var isComplete: Bool { monitor.locked { hasEnded } }

  private func setComplete(_ value: Bool) {
    monitor.locked { hasEnded = value }
  }

  private func add(_ bytes: Int) {
    monitor.locked { count &+= bytes }
  }
}
