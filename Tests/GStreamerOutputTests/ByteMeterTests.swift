import CGStreamer
import Testing

@testable import GStreamerOutput

/// What a source has put out, and what it says of itself before.
@Suite struct ByteMeterTests {
  private let meter = ByteMeter()

  /// The pad of a source that knows its length, and is asked for it in vain at first.
  private func sourcePad(isNetwork: Bool = true) throws -> UnsafeMutablePointer<GstPad> {
    GStreamerLibrary.prepare()
    let pad = try #require(gst_pad_new("src", GST_PAD_SRC))
    gst_pad_set_query_function_full(
      pad,
      { _, _, query in
        gst_query_set_duration(query, GST_FORMAT_BYTES, 72_905)
        return 1
      }, nil, nil)
    gst_pad_set_active(pad, 1)
    gst_pad_push_event(pad, gst_event_new_stream_start("test"))
    var segment = GstSegment()
    gst_segment_init(&segment, GST_FORMAT_BYTES)
    gst_pad_push_event(pad, gst_event_new_segment(&segment))
    meter.attach(at: pad, isNetwork: isNetwork)
    return pad
  }

  private func length(_ pad: UnsafeMutablePointer<GstPad>) -> gint64? {
    var length: gint64 = 0
    return gst_pad_query_duration(pad, GST_FORMAT_BYTES, &length) != 0 ? length : nil
  }

  @Test func theLengthIsAskedForOnlyOnceDataHaveCome() throws {
    let pad = try sourcePad()
    defer { gst_object_unref(pad) }
    #expect(length(pad) == -1)
    gst_pad_push(pad, gst_buffer_new_allocate(nil, 100, nil))
    #expect(meter.bytes == 100)
    #expect(length(pad) == 72_905)
  }

  /// What reads a file asks for its length first.
  @Test func theLengthOfAFileIsKnown() throws {
    let pad = try sourcePad(isNetwork: false)
    defer { gst_object_unref(pad) }
    #expect(length(pad) == 72_905)
  }

  @Test func anEmptySourceMayBeAskedAtItsEnd() throws {
    let pad = try sourcePad()
    defer { gst_object_unref(pad) }
    #expect(length(pad) == -1)
    gst_pad_push_event(pad, gst_event_new_eos())
    #expect(meter.isComplete)
    #expect(length(pad) == 72_905)
  }

  /// The read-ahead buffer may throw such a question away and let the source wait for ever, that of a file as well.
  @Test(arguments: [true, false]) func nobodyBehindItIsAskedForMemory(isNetwork: Bool) throws {
    let pad = try sourcePad(isNetwork: isNetwork)
    defer { gst_object_unref(pad) }
    let sink = try #require(gst_pad_new("sink", GST_PAD_SINK))
    defer { gst_object_unref(sink) }
    gst_pad_set_query_function_full(sink, { _, _, _ in 1 }, nil, nil)
    gst_pad_set_active(sink, 1)
    try #require(gst_pad_link_full(pad, sink, GST_PAD_LINK_CHECK_NOTHING) == GST_PAD_LINK_OK)
    let memory = gst_query_new_allocation(nil, 0)
    defer { gst_query_unref(memory) }
    #expect(gst_pad_peer_query(pad, memory) == 0)
    let other = gst_query_new_latency()
    defer { gst_query_unref(other) }
    #expect(gst_pad_peer_query(pad, other) == 1)
  }
}
