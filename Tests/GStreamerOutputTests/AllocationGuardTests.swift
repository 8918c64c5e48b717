import CGStreamer
import Testing

@testable import GStreamerOutput

@Suite struct AllocationGuardTests {
  /// Whether a source that asks about memory gets an answer from what is behind the read-ahead buffer.
  private func isAnswered(guarded: Bool) throws -> Bool {
    GStreamerLibrary.prepare()
    let pipeline = try #require(gst_parse_launch("queue2 name=queue ! fakesink async=false", nil))
    defer {
      gst_element_set_state(pipeline, GST_STATE_NULL)
      gst_object_unref(pipeline)
    }
    let bin = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
    let queue = try #require(gst_bin_get_by_name(bin, "queue"))
    defer { gst_object_unref(queue) }
    if guarded { AllocationGuard.attach(to: queue) }
    let behind = try #require(gst_element_get_static_pad(queue, "src"))
    defer { gst_object_unref(behind) }
    gst_pad_add_probe(
      behind, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      { _, info, _ in
        let query = info.flatMap { vireo_probe_query($0) }
        return query?.pointee.type == GST_QUERY_ALLOCATION ? GST_PAD_PROBE_HANDLED : GST_PAD_PROBE_OK
      }, nil, nil)
    gst_element_set_state(pipeline, GST_STATE_PLAYING)
    let pad = try #require(gst_element_get_static_pad(queue, "sink"))
    defer { gst_object_unref(pad) }
    let caps = try #require(gst_caps_from_string("audio/x-wav"))
    defer { gst_caps_unref(caps) }
    gst_pad_send_event(pad, gst_event_new_stream_start("test"))
    gst_pad_send_event(pad, gst_event_new_caps(caps))
    let query = try #require(gst_query_new_allocation(caps, 0))
    defer { gst_query_unref(query) }
    return gst_pad_query(pad, query) != 0
  }

  @Test func theDecoderIsNotAskedAboutMemory() throws {
    #expect(try isAnswered(guarded: false))
    #expect(try !isAnswered(guarded: true))
  }
}
