import CGStreamer
import Threads

/// What the device plays now, for threads that have to know it without asking the control thread.
final class DeviceClock: Sendable {
  /// Set while there is a device; the device owns the pipeline and takes it away before it ends.
  private let pipeline = SharedState<GstPointer<GstElement>?>(nil)

  func set(_ element: UnsafeMutablePointer<GstElement>?) {
    pipeline.withLock { $0 = element.map(GstPointer.init) }
  }

  /// Running time of what is heard at `now`, in nanoseconds; nil while no device plays.
  func running() -> (time: Int64, now: Int64)? {
    pipeline.withLock { pipeline -> (time: Int64, now: Int64)? in
      guard let pipeline = pipeline?.object else { return nil }
      var state = GST_STATE_NULL
      guard gst_element_get_state(pipeline, &state, nil, 0) == GST_STATE_CHANGE_SUCCESS,
        state == GST_STATE_PLAYING
      else { return nil }
      var position: gint64 = 0
      let before = MonotonicTime.now.nanoseconds
      guard gst_element_query_position(pipeline, GST_FORMAT_TIME, &position) != 0, position > 0 else {
        return nil
      }
      let after = MonotonicTime.now.nanoseconds
      return (Int64(position), Int64(before + (after - before) / 2))
    }
  }
}
