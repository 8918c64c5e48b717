import CGStreamer
import Synchronization
import Testing

@testable import GStreamerOutput
@testable import Threads

@Suite struct QueryGuardTests {
  /// Which kinds of query arrived behind the read-ahead buffer.
  private final class Arrived: Sendable {
    let kinds = Mutex<[GstQueryType.RawValue]>([])
  }

  private static let playing = "queue2 name=queue ! identity name=decoder ! fakesink name=sink async=false"

  /// What is asked of a decoder behind a read-ahead buffer when its source asks about memory, and sends a piece of a track.
  private func asked(isGuarded: Bool) throws -> [GstQueryType.RawValue] {
    GStreamerLibrary.prepare()
    let pipeline = try #require(gst_parse_launch(Self.playing, nil))
    defer {
      gst_element_set_state(pipeline, GST_STATE_NULL)
      gst_object_unref(pipeline)
    }
    let bin = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
    let queue = try #require(gst_bin_get_by_name(bin, "queue"))
    let decoder = try #require(gst_bin_get_by_name(bin, "decoder"))
    defer {
      gst_object_unref(queue)
      gst_object_unref(decoder)
    }
    if isGuarded { QueryGuard.attach(to: queue) }
    let arrived = Arrived()
    let entry = try #require(gst_element_get_static_pad(decoder, "sink"))
    defer { gst_object_unref(entry) }
    gst_pad_add_probe(
      entry, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      { _, info, context in
        if let info, let context, let query = vireo_probe_query(info) {
          CallbackContext.object(context, as: Arrived.self).kinds.withLock {
            $0.append(query.pointee.type.rawValue)
          }
        }
        return GST_PAD_PROBE_OK
      }, CallbackContext.retain(arrived), { CallbackContext.release($0) })
    gst_element_set_state(pipeline, GST_STATE_PLAYING)

    let pad = try #require(gst_element_get_static_pad(queue, "sink"))
    defer { gst_object_unref(pad) }
    let caps = try #require(gst_caps_from_string("audio/x-wav"))
    defer { gst_caps_unref(caps) }
    gst_pad_send_event(pad, gst_event_new_stream_start("test"))
    gst_pad_send_event(pad, gst_event_new_caps(caps))
    var segment = GstSegment()
    gst_segment_init(&segment, GST_FORMAT_BYTES)
    gst_pad_send_event(pad, gst_event_new_segment(&segment))
    let query = try #require(gst_query_new_allocation(caps, 0))
    defer { gst_query_unref(query) }
    _ = gst_pad_query(pad, query)
    #expect(gst_pad_chain(pad, gst_buffer_new_allocate(nil, 64, nil)) == GST_FLOW_OK)
    gst_pad_send_event(pad, gst_event_new_eos())
    let bus = try #require(gst_element_get_bus(pipeline))
    defer { gst_object_unref(bus) }
    let end = try #require(gst_bus_timed_pop_filtered(bus, 10 * 1_000_000_000, GST_MESSAGE_EOS))
    gst_message_unref(end)
    return arrived.kinds.withLock(\.self)
  }

  @Test func theDecoderIsNotAskedAboutMemoryOrItsBitRate() throws {
    let asked = try asked(isGuarded: false)
    #expect(asked.contains(GST_QUERY_ALLOCATION.rawValue))
    #expect(asked.contains(GST_QUERY_BITRATE.rawValue))
    // Whether caps are accepted is asked at the pad that gets them, and goes no further.
    #expect(try self.asked(isGuarded: true).allSatisfy { $0 == GST_QUERY_ACCEPT_CAPS.rawValue })
  }
}
