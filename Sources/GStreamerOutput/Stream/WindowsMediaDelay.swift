import CGStreamer

/// The delay that decoders of Windows Media Audio 1 and 2 add before the sound.
///
/// Neither the file nor GStreamer states it. It is two of the codec's frames, as in ffmpeg; a frame's length follows
/// from version and rate.
struct WindowsMediaDelay: Hashable {
  /// Frames of PCM to cut.
  var frames: Int

  /// Nil for other codecs.
  init?(caps: UnsafePointer<GstCaps>?) {
    guard let caps, let structure = gst_caps_get_structure(caps, 0),
      gst_structure_has_name(structure, "audio/x-wma") != 0
    else { return nil }
    var (version, rate): (gint, gint) = (0, 0)
    guard gst_structure_get_int(structure, "wmaversion", &version) != 0, (1...2).contains(version),
      gst_structure_get_int(structure, "rate", &rate) != 0, rate > 0
    else { return nil }
    self.init(version: Int(version), rate: Int(rate))
  }

  init(version: Int, rate: Int) {
    let length =
      switch rate {
      case ...16000: 512
      case ...22050: 1024
      case ...32000 where version == 1: 1024
      default: 2048
      }
    frames = 2 * length
  }
}
