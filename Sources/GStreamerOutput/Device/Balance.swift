import CGStreamer
import Synchronization
import Threads

/// Factors for the left and the right channel on top of the common gain; applied only when they differ.
final class Balance: Sendable {
  private struct State {
    var left = 1.0
    var right = 1.0
    var format: StreamFormat?
  }

  private let state = Mutex(State())

  func set(left: Double, right: Double) {
    state.withLock { ($0.left, $0.right) = (left, right) }
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
    let format = StreamFormat(caps: caps)
    state.withLock { $0.format = format }
  }

  /// Consumes `buffer`; nil when nothing has to change (and nothing was consumed).
  fileprivate func apply(_ buffer: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer>? {
    let state = state.withLock { $0 }
    // One channel has no sides.
    guard state.left != 1 || state.right != 1, let format = state.format, format.channels >= 2,
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
      bytes, format: GstAudioFormat(rawValue: format.encoding), channels: format.channels, left: state.left,
      right: state.right)
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
