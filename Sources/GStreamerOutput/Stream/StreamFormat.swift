import CGStreamer

/// Interleaved PCM as it travels from a track to the device.
struct StreamFormat: Hashable, Sendable {
  /// GStreamer's name ("S16LE").
  var sample: String
  /// Frames per second.
  var rate: Int
  var channels: Int
  /// Bytes of one frame.
  var bytesPerFrame: Int
  /// Significant bits of one sample.
  var depth: Int
  /// Which loudspeaker each channel belongs to, as in GStreamer's caps.
  var channelMask: guint64

  init?(caps: UnsafePointer<GstCaps>?) {
    guard let caps else { return nil }
    var info = GstAudioInfo()
    guard gst_audio_info_from_caps(&info, caps) != 0, let format = info.finfo, info.bpf > 0,
      info.rate > 0
    else { return nil }
    sample = String(cString: format.pointee.name)
    rate = Int(info.rate)
    channels = Int(info.channels)
    bytesPerFrame = Int(info.bpf)
    depth = Int(format.pointee.depth)
    var mask: guint64 = 0
    if channels > 2 || info.flags.rawValue & GST_AUDIO_FLAG_UNPOSITIONED.rawValue != 0 {
      mask = positions(of: caps)
    }
    channelMask = mask
  }

  /// The format as a caps string.
  var capsText: String {
    var text =
      "audio/x-raw,format=\(sample),rate=\(rate),channels=\(channels),layout=interleaved"
    if channels > 2 || channelMask != 0 {
      text += ",channel-mask=(bitmask)0x" + String(channelMask, radix: 16)
    }
    return text
  }

  /// Nanoseconds of `frames`, rounded to the nearest.
  func nanoseconds(frames: Int) -> guint64 {
    gst_util_uint64_scale_round(guint64(max(0, frames)), 1_000_000_000, guint64(rate))
  }
}

private func positions(of caps: UnsafePointer<GstCaps>) -> guint64 {
  guard let structure = gst_caps_get_structure(caps, 0),
    let value = gst_structure_get_value(structure, "channel-mask")
  else { return 0 }
  return gst_value_get_bitmask(value)
}
