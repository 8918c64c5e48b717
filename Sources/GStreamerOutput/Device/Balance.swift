import CGStreamer
import Threads

/// Factors for the left and the right channel on top of the common gain; applied only when they differ.
// Safe to share: the factors are guarded by `monitor`.
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
      balanceProbe, Unmanaged.passRetained(self).toOpaque(),
      { if let context = $0 { Unmanaged<Balance>.fromOpaque(context).release() } })
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
    Self.scale(
      bytes, format: format.pointee.format, channels: Int(info.channels), left: left, right: right)
    return writable
  }

  /// Scales the first channel by `left` and the second by `right`; the others stay.
  static func scale(
    _ bytes: UnsafeMutableRawBufferPointer, format: GstAudioFormat, channels: Int, left: Double,
    right: Double
  ) {
    switch format {
    case GST_AUDIO_FORMAT_S16LE:
      scale(bytes.bindMemory(to: Int16.self), channels, left, right) {
        Int16(clamping: Int((Double($0) * $1).rounded()))
      }
    case GST_AUDIO_FORMAT_S32LE:
      scale(bytes.bindMemory(to: Int32.self), channels, left, right) {
        Int32(clamping: Int((Double($0) * $1).rounded()))
      }
    case GST_AUDIO_FORMAT_F32LE:
      scale(bytes.bindMemory(to: Float.self), channels, left, right) { Float(Double($0) * $1) }
    case GST_AUDIO_FORMAT_F64LE:
      scale(bytes.bindMemory(to: Double.self), channels, left, right) { $0 * $1 }
    case GST_AUDIO_FORMAT_S24LE:
      scale24(bytes, channels, left, right)
    default: break
    }
  }

  private static func scale<Sample>(
    _ samples: UnsafeMutableBufferPointer<Sample>, _ channels: Int, _ left: Double, _ right: Double,
    _ multiply: (Sample, Double) -> Sample
  ) {
    var index = 0
    while index + 1 < samples.count {
      samples[index] = multiply(samples[index], left)
      samples[index + 1] = multiply(samples[index + 1], right)
      index += channels
    }
  }

  private static func scale24(
    _ bytes: UnsafeMutableRawBufferPointer, _ channels: Int, _ left: Double, _ right: Double
  ) {
    var index = 0
    while index + 5 < bytes.count {
      for (at, factor) in [(index, left), (index + 3, right)] {
        let packed = UInt32(bytes[at]) | UInt32(bytes[at + 1]) << 8 | UInt32(bytes[at + 2]) << 16
        let value = Int32(bitPattern: packed << 8) >> 8
        let scaled = UInt32(bitPattern: Int32((Double(value) * factor).rounded()))
        bytes[at] = UInt8(truncatingIfNeeded: scaled)
        bytes[at + 1] = UInt8(truncatingIfNeeded: scaled >> 8)
        bytes[at + 2] = UInt8(truncatingIfNeeded: scaled >> 16)
      }
      index += channels * 3
    }
  }
}

private func balanceProbe(
  pad: UnsafeMutablePointer<GstPad>?, info: UnsafeMutablePointer<GstPadProbeInfo>?, context: gpointer?
) -> GstPadProbeReturn {
  guard let info, let context else { return GST_PAD_PROBE_OK }
  let balance = Unmanaged<Balance>.fromOpaque(context).takeUnretainedValue()
  if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
    if let buffer = vireo_probe_buffer(info), let changed = balance.apply(buffer) {
      vireo_probe_replace(info, changed)
    }
  } else if let event = vireo_probe_event(info) {
    balance.read(event)
  }
  return GST_PAD_PROBE_OK
}
