import CGStreamer
import Testing

@testable import GStreamerOutput

/// Tables of a good quality are only computed where they are used.
@Suite struct RateConversionTests {
  @Test(arguments: [(44100, 44100, Int32(0)), (44100, 48000, 8), (96000, 44100, 8)])
  func qualityIsForOtherRates(from: Int, to: Int, grade: Int32) throws {
    GStreamerLibrary.prepare()
    let text =
      "audiotestsrc num-buffers=3 ! audio/x-raw,rate=\(from) ! audioresample name=resampler ! audio/x-raw,rate=\(to) ! fakesink"
    let pipeline = try #require(gst_parse_launch(text, nil))
    defer {
      gst_element_set_state(pipeline, GST_STATE_NULL)
      gst_object_unref(pipeline)
    }
    let bin = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
    let resampler = try #require(gst_bin_get_by_name(bin, "resampler"))
    defer { gst_object_unref(resampler) }
    RateConversion.attach(.good, to: resampler)
    #expect(vireo_get_int(resampler, "quality") == 8)
    gst_element_set_state(pipeline, GST_STATE_PLAYING)
    let bus = try #require(gst_element_get_bus(pipeline))
    defer { gst_object_unref(bus) }
    let message = gst_bus_timed_pop_filtered(
      bus, 20_000_000_000, GstMessageType(rawValue: GST_MESSAGE_EOS.rawValue | GST_MESSAGE_ERROR.rawValue))
    let ended = try #require(message)
    defer { gst_message_unref(ended) }
    #expect(ended.pointee.type == GST_MESSAGE_EOS)
    #expect(vireo_get_int(resampler, "quality") == grade)
  }
}
