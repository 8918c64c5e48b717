import CGStreamer
import Threads

/// Factors for the left and the right channel on top of the common gain; applied only when they differ.
// Safe to share: the factors and the format are guarded by `monitor`.
final class Balance: @unchecked Sendable {
  private let monitor = Monitor()
  private var left = 1.0
  private var right = 1.0
  private var info = GstAudioInfo()

  func set(left: Double, right: Double) {
    monitor.locked { (self.left, self.right) = (left, right) }
  }

  /// Listens at `pad`, behind the volume.
  func attach(to pad: UnsafeMutablePointer<GstPad>) {
    gst_pad_add_probe(
      pad,
      GstPadProbeType(
        rawValue: GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue),
      balanceProbe, HandOver.give(self),
      { HandOver.end($0) })
  }

  fileprivate func read(_ event: UnsafeMutablePointer<GstEvent>) {
    guard event.pointee.type == GST_EVENT_CAPS else { return }
    var caps: UnsafeMutablePointer<GstCaps>?
    gst_event_parse_caps(event, &caps)
    monitor.locked { if let caps { _ = gst_audio_info_from_caps(&info, caps) } }
  }

  /// Consumes `buffer`; nil when nothing has to change (and nothing was consumed).
  fileprivate func apply(_ buffer: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer>? {
    let (left, right, info) = monitor.locked { (self.left, self.right, self.info) }
    // One channel has no sides.
    guard left != 1 || right != 1, info.channels >= 2, let format = info.finfo,
      let writable = vireo_buffer_writable(buffer)
    else { return nil }
    var map = GstMapInfo()
    guard
      gst_buffer_map(writable, &map, GstMapFlags(rawValue: GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue))
        != 0
    else { return writable }
    defer { gst_buffer_unmap(writable, &map) }
    let bytes = UnsafeMutableRawBufferPointer(start: map.data, count: Int(map.size))
    SampleScaling.scale(
      bytes, format: format.pointee.format, channels: Int(info.channels), left: left, right: right)
    return writable
  }
}

private func balanceProbe(
  pad: UnsafeMutablePointer<GstPad>?, info: UnsafeMutablePointer<GstPadProbeInfo>?, context: gpointer?
) -> GstPadProbeReturn {
  guard let info, let context else { return GST_PAD_PROBE_OK }
  let balance = HandOver.borrow(context, as: Balance.self)
  if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
    if let buffer = vireo_probe_buffer(info), let changed = balance.apply(buffer) {
      vireo_probe_replace(info, changed)
    }
  } else if let event = vireo_probe_event(info) {
    balance.read(event)
  }
  return GST_PAD_PROBE_OK
}
