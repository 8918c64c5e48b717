import CGStreamer

/// Keeps queries from the decoder that come through the read-ahead buffer; none of them needs an answer.
///
/// When a track is stopped, its decodebin ends before the threads of the buffer and the source. A query of theirs then finds
/// pads that are being freed (`gst_decode_pad_query` of GStreamer 1.22): a null pointer, or a mutex that is freed while it is held.
enum QueryGuard {
  static func attach(to queue: UnsafeMutablePointer<GstElement>) {
    // The source asks about memory, and uses its own. The query would wait in the buffer behind the data.
    probe("sink", of: queue) { _, info, _ in
      guard let info, vireo_probe_query(info)?.pointee.type == GST_QUERY_ALLOCATION else {
        return GST_PAD_PROBE_OK
      }
      return GST_PAD_PROBE_DROP
    }
    // The buffer asks for the bit rate.
    probe("src", of: queue) { _, _, _ in GST_PAD_PROBE_DROP }
  }

  private static func probe(
    _ name: String, of queue: UnsafeMutablePointer<GstElement>, _ callback: GstPadProbeCallback
  ) {
    guard let pad = gst_element_get_static_pad(queue, name) else { return }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, callback, nil, nil)
  }
}
