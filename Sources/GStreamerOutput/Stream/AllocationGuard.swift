import CGStreamer

/// Answers a network source's allocation queries in place of the decoder: the source uses its own memory.
///
/// GStreamer passes such a query on in the thread of the read-ahead buffer. When a track is stopped at that moment, its
/// decodebin is gone before that thread has ended, and the query follows a null pointer
/// (`gst_decode_pad_query` of GStreamer 1.22).
enum AllocationGuard {
  static func attach(to queue: UnsafeMutablePointer<GstElement>) {
    guard let pad = gst_element_get_static_pad(queue, "sink") else { return }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      { _, info, _ in
        guard let info, let query = vireo_probe_query(info), query.pointee.type == GST_QUERY_ALLOCATION
        else { return GST_PAD_PROBE_OK }
        return GST_PAD_PROBE_DROP
      }, nil, nil)
  }
}
