import CGStreamer

/// Stops queries at the read-ahead buffer, so that none reaches the decoder. None of them needs an answer.
///
/// When a track is stopped, decodebin stops before the threads of the buffer and of the source. A query that one of them sends then
/// finds pads that are being freed (`gst_decode_pad_query` of GStreamer 1.22). It follows a null pointer, or holds a mutex that is
/// freed meanwhile, which ends the process.
enum QueryGuard {
  static func attach(to queue: UnsafeMutablePointer<GstElement>) {
    // The source's query about memory. It is refused before it waits in the buffer behind the data; the source uses its own memory.
    probe("sink", of: queue) { _, info, _ in
      guard let info, vireo_probe_query(info)?.pointee.type == GST_QUERY_ALLOCATION else {
        return GST_PAD_PROBE_OK
      }
      return GST_PAD_PROBE_DROP
    }
    // The buffer's own query about the bit rate, and whatever else comes through.
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
