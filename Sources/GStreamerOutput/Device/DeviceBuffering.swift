import CGStreamer

/// How much sound a device buffers, and the size of its periods; zero leaves either to the device.
struct DeviceBuffering: Sendable, Hashable {
  var buffer: Duration
  var period: Duration

  /// Both in microseconds. A buffer holds at least two periods; otherwise the device would run dry while it takes one.
  var microseconds: (buffer: gint64, period: gint64) {
    func count(_ duration: Duration) -> gint64 { gint64(clamping: duration.wholeNanoseconds / 1000) }
    let (buffer, period) = (count(buffer), count(period))
    return (buffer, buffer > 0 ? min(period, buffer / 2) : period)
  }

  /// Sets both on the sound device in `sink`; other sinks have no buffer.
  func apply(to sink: UnsafeMutablePointer<GstElement>) {
    guard let device = vireo_audio_device(sink) else { return }
    defer { gst_object_unref(device) }
    let (buffer, period) = microseconds
    if buffer > 0 { vireo_set_int64(device, "buffer-time", buffer) }
    if period > 0 { vireo_set_int64(device, "latency-time", period) }
  }
}
