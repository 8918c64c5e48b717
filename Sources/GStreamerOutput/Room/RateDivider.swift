import CGStreamer

/// Halves the rate of stereo or mono sound as often as is needed, for the network: GStreamer's resampler.
// Safe to share: whoever has the queue that it belongs to has it alone, under the tap's lock.
final class RateDivider: @unchecked Sendable {
  let rate: Int
  let channels: Int
  let divisor: Int
  private let resampler: OpaquePointer
  /// Frames that have come out.
  private(set) var made = 0

  /// The divisor that brings `rate` to `most` or below; 1 for none.
  static func divisor(of rate: Int, most: Int) -> Int {
    var divisor = 1
    while rate / divisor > most, rate % (2 * divisor) == 0, divisor < 8 { divisor *= 2 }
    return divisor
  }

  /// Nil without memory.
  init?(rate: Int, channels: Int, divisor: Int) {
    guard let options = gst_structure_new_empty("resampler") else { return nil }
    defer { gst_structure_free(options) }
    let (from, to) = (gint(rate), gint(rate / divisor))
    gst_audio_resampler_options_set_quality(GST_AUDIO_RESAMPLER_METHOD_KAISER, 4, from, to, options)
    guard
      let resampler = gst_audio_resampler_new(
        GST_AUDIO_RESAMPLER_METHOD_KAISER, GST_AUDIO_RESAMPLER_FLAG_NONE, GST_AUDIO_FORMAT_F64LE,
        gint(channels), from, to, options)
    else { return nil }
    self.resampler = resampler
    (self.rate, self.channels, self.divisor) = (rate, channels, divisor)
  }

  deinit { gst_audio_resampler_free(resampler) }

  /// Takes interleaved frames, and gives those that can be made of them.
  func divide(_ values: [Double]) -> [Double] {
    let frames = gsize(values.count / channels)
    let count = gst_audio_resampler_get_out_frames(resampler, frames)
    var result = [Double](repeating: 0, count: Int(count) * channels)
    var values = values
    values.withUnsafeMutableBytes { input in
      result.withUnsafeMutableBytes { output in
        var (from, to): (gpointer?, gpointer?) = (input.baseAddress, output.baseAddress)
        gst_audio_resampler_resample(resampler, &from, frames, &to, count)
      }
    }
    made += Int(count)
    return result
  }
}
