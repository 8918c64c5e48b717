import CGStreamer
import Player

/// A sound card's clock, played by an output that has no card: it is some ppm fast or slow, and says when what it plays is
/// heard. For tests of rooms that play in step, so no manual tells of it.
///
/// It is written behind the name of the output: `file:/PATH.wav?ppm=+50&times=/PATH.times`, `null?ppm=-50`.
struct TrialClock: Hashable, Sendable {
  /// The pipeline runs on the system's clock, as outputs without a card do, and nothing is written.
  static let none = TrialClock()

  /// How much faster than the system's clock the output plays, in millionths; at most 1000 either way.
  var ppm = 0
  /// Where the file goes that says when each block is heard; see ``WaveWriter``. Nil: nowhere.
  var times: String?

  /// Takes an output's argument apart. Only what begins with a known option is one: a path may hold any character.
  ///
  /// - Returns: what stands before the options, and the options.
  static func split(_ argument: String) throws(PlaybackFailure) -> (String, TrialClock) {
    guard let mark = argument.lastIndex(of: "?") else { return (argument, none) }
    let text = argument[argument.index(after: mark)...]
    guard text.hasPrefix("ppm=") || text.hasPrefix("times=") else { return (argument, none) }
    var clock = none
    for option in text.split(separator: "&", omittingEmptySubsequences: false) {
      let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      switch (parts[0], parts.count == 2 ? String(parts[1]) : "") {
      case ("ppm", let value):
        guard let ppm = Int(value), (-1000...1000).contains(ppm) else {
          throw PlaybackFailure(
            .device, "The output's ppm \(value) is wrong: it is a whole number from -1000 to +1000.")
        }
        clock.ppm = ppm
      case ("times", let value):
        guard value.hasPrefix("/") else {
          throw PlaybackFailure(.device, "The output's times \(value) is wrong: it is the path of a file.")
        }
        clock.times = value
      default:
        throw PlaybackFailure(.device, "The output's option \(option) is unknown: there are ppm and times.")
      }
    }
    return (String(argument[..<mark]), clock)
  }

  /// Makes `pipeline` run on a clock of its own that keeps this pace; it must not run yet.
  func rule(_ pipeline: UnsafeMutablePointer<GstElement>) {
    guard self != .none,
      let object = g_object_new_with_properties(gst_system_clock_get_type(), 0, nil, nil)
    else { return }
    let clock = UnsafeMutableRawPointer(object).assumingMemoryBound(to: GstClock.self)
    // A new system clock is that of CLOCK_MONOTONIC. Both times agree now, and part from here on.
    let now = gst_clock_get_internal_time(clock)
    gst_clock_set_calibration(clock, now, now, GstClockTime(1_000_000 + ppm), 1_000_000)
    gst_pipeline_use_clock(UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstPipeline.self), clock)
    gst_object_unref(object)
  }

  /// When, by CLOCK_MONOTONIC, the first frame of `sample` is heard: from its timestamp alone, whenever it is asked for.
  ///
  /// - Parameter sink: plays the sample now, by a system clock.
  /// - Returns: nanoseconds; nil if the sample has no time.
  static func heard(_ sample: OpaquePointer, by sink: UnsafeMutablePointer<GstElement>) -> GstClockTime? {
    let none = GstClockTime.max
    guard let buffer = gst_sample_get_buffer(sample), let clock = gst_element_get_clock(sink) else {
      return nil
    }
    defer { gst_object_unref(clock) }
    let running = gst_segment_to_running_time(
      gst_sample_get_segment(sample), GST_FORMAT_TIME, buffer.pointee.pts)
    let base = gst_element_get_base_time(sink)
    guard running != none, base != none else { return nil }
    var (internalTime, externalTime, numerator, denominator) = (none, none, none, none)
    gst_clock_get_calibration(clock, &internalTime, &externalTime, &numerator, &denominator)
    return gst_clock_unadjust_with_calibration(
      clock, base + running, internalTime, externalTime, numerator, denominator)
  }
}
