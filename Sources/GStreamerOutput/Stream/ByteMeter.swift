import CGStreamer

/// Counts what a source puts out, so that a silent server can be told from a slow one.
// Safe to share: the count is guarded by `monitor`.
final class ByteMeter: @unchecked Sendable {
  private let monitor = Monitor()
  private var count = 0

  var bytes: Int { monitor.locked { count } }

  func attach(to source: UnsafeMutablePointer<GstElement>) {
    guard let pad = gst_element_get_static_pad(source, "src") else { return }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER,
      { _, info, context in
        if let info, let context, let buffer = vireo_probe_buffer(info) {
          Unmanaged<ByteMeter>.fromOpaque(context).takeUnretainedValue()
            .add(Int(gst_buffer_get_size(buffer)))
        }
        return GST_PAD_PROBE_OK
      },
      Unmanaged.passRetained(self).toOpaque(),
      { if let context = $0 { Unmanaged<ByteMeter>.fromOpaque(context).release() } })
  }

  private func add(_ bytes: Int) {
    monitor.locked { count &+= bytes }
  }
}
