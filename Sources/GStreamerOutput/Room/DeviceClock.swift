import CGStreamer
import Rooms
import RoomsIO
import Threads

/// What the device plays now, for threads that have to know it without asking the control thread.
final class DeviceClock: Sendable {
  /// How much later than the device the loudspeaker sounds, in nanoseconds.
  let delay: Int64

  init(delay: Int64 = 0) { self.delay = delay }

  private struct Device: Sendable {
    var pipeline: GstPointer<GstElement>
    var kind: DeviceClockKind
  }

  /// Set while there is a device; the device owns the pipeline and takes it away before it ends.
  private let device = SharedState<Device?>(nil)

  /// - Parameter sink: what plays in `pipeline`, or a bin that holds it.
  func set(_ pipeline: UnsafeMutablePointer<GstElement>, sink: UnsafeMutablePointer<GstElement>) {
    device.withLock { $0 = Device(pipeline: GstPointer(pipeline), kind: Self.kind(of: sink)) }
  }

  func clear() { device.withLock { $0 = nil } }

  private static func kind(of sink: UnsafeMutablePointer<GstElement>) -> DeviceClockKind {
    guard let device = vireo_audio_device(sink) else { return .exact }
    defer { gst_object_unref(device) }
    switch vireo_factory_name(device).map({ String(cString: $0) }) {
    case "pulsesink": return .noisy
    case "alsasink": return .lagging
    default: return .unmeasured
    }
  }

  /// How the device's readings are to be taken.
  var lineKind: DeviceLine.Kind { device.withLock { $0?.kind.line } ?? .exact }

  /// What is heard now; nil while no device plays.
  func reading(session: Int) -> DeviceReading? {
    guard let kind = device.withLock({ $0?.kind }), let now = running() else { return nil }
    return DeviceReading(running: now.time - delay, monotonic: now.now, kind: kind, session: session)
  }

  /// Running time of what the device plays at `now`, in nanoseconds; nil while none does.
  func running() -> (time: Int64, now: Int64)? {
    device.withLock { device -> (time: Int64, now: Int64)? in
      guard let pipeline = device?.pipeline.object else { return nil }
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
