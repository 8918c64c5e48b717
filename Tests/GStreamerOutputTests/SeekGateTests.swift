import CGStreamer
import Synchronization
import Testing
import Threads

@testable import GStreamerOutput

/// What reaches the decoder while an Ogg file is sought in: nothing of what was read before.
@Suite struct SeekGateTests {
  private final class Seen: Sendable {
    let passed = Mutex<[String]>([])
    let places = Mutex<[Int]>([])
  }

  /// A source that accepts every seek, a decoder that takes everything, and the gate between them.
  private final class Stream {
    let seen = Seen()
    let gate: SeekGate
    private let source: UnsafeMutablePointer<GstPad>
    private let sink: UnsafeMutablePointer<GstPad>

    init() throws {
      GStreamerLibrary.prepare()
      source = try #require(gst_pad_new("src", GST_PAD_SRC))
      sink = try #require(gst_pad_new("sink", GST_PAD_SINK))
      gate = SeekGate(
        serial: 1, at: source, trim: TrackTrim(serial: 1, notify: { _ in }),
        notify: { [seen] notice in
          if case .readOn(_, _, let place) = notice { seen.places.withLock { $0.append(place) } }
        })
      gst_pad_set_event_function_full(
        source,
        { _, _, event in
          gst_event_unref(event)
          return 1
        }, nil, nil)
      gst_pad_set_chain_function_full(
        sink,
        { _, _, buffer in
          gst_buffer_unref(buffer)
          return GST_FLOW_OK
        }, nil, nil)
      gst_pad_set_event_function_full(
        sink,
        { _, _, event in
          gst_event_unref(event)
          return 1
        }, nil, nil)
      gst_pad_add_probe(
        sink,
        GstPadProbeType(
          rawValue: GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue),
        { _, info, context in
          guard let info, let context else { return GST_PAD_PROBE_OK }
          let seen = CallbackContext.object(context, as: Seen.self)
          if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
            seen.passed.withLock { $0.append("sound") }
          } else if vireo_probe_event(info)?.pointee.type == GST_EVENT_EOS {
            seen.passed.withLock { $0.append("end") }
          }
          return GST_PAD_PROBE_OK
        }, CallbackContext.retain(seen), { CallbackContext.release($0) })
      try #require(gst_pad_link_full(source, sink, GST_PAD_LINK_CHECK_NOTHING) == GST_PAD_LINK_OK)
      gst_pad_set_active(sink, 1)
      gst_pad_set_active(source, 1)
      gst_pad_push_event(source, gst_event_new_stream_start("test"))
      gate.attach()
      segment(at: 0)
    }

    deinit {
      gst_pad_set_active(source, 0)
      gst_pad_set_active(sink, 0)
      gst_pad_unlink(source, sink)
      gst_object_unref(source)
      gst_object_unref(sink)
    }

    private func segment(at offset: Int) {
      var segment = GstSegment()
      gst_segment_init(&segment, GST_FORMAT_BYTES)
      segment.start = guint64(offset)
      gst_pad_push_event(source, gst_event_new_segment(&segment))
    }

    /// The source follows a request to read at `offset`.
    func follow(at offset: Int) {
      gst_pad_push_event(source, gst_event_new_flush_start())
      gst_pad_push_event(source, gst_event_new_flush_stop(1))
      segment(at: offset)
    }

    func send(_ bytes: [UInt8]) {
      let buffer = gst_buffer_new_allocate(nil, gsize(bytes.count), nil)
      gst_buffer_fill(buffer, 0, bytes, gsize(bytes.count))
      gst_pad_push(source, buffer)
    }

    func end() { gst_pad_push_event(source, gst_event_new_eos()) }

    var passed: [String] { seen.passed.withLock { $0 } }
    var places: [Int] { seen.places.withLock { $0 } }
  }

  private static let soundStart = 137

  /// To `second` of a file of 40 s and 680 kB.
  private func seek(to second: Int) throws -> PlaceSearch {
    let packet = Array("OpusHead".utf8) + [1, 2, 0, 0, 0x80, 0xbb, 0, 0]
    let layout = OggLayout(
      serial: 7, clock: try #require(OggLayout.Clock(firstPacket: packet)), soundStart: Self.soundStart)
    return PlaceSearch(
      layout: layout, target: Int64(second * 48_000), start: 0,
      end: PlaceSearch.Mark(offset: 680_000, granule: 40 * 48_000))
  }

  private func page(until second: Int) -> [UInt8] {
    OggTests().page(granule: Int64(second * 48_000), packets: [17_000])
  }

  /// The end of what was read before may come before the source reads elsewhere.
  @Test func theEndOfWhatWasReadBeforeIsNotTheTracks() throws {
    let stream = try Stream()
    let seek = try seek(to: 4)
    #expect(!seek.isAtBeginning)
    #expect(stream.gate.begin(.ogg(OggScan(seek, of: 7)), at: seek.place, target: 4_000_000_000, epoch: 1))
    stream.end()
    stream.follow(at: seek.place)
    stream.send(page(until: 4))
    #expect(stream.places == [Self.soundStart], "too late; before it is the beginning only")
    stream.send(page(until: 5))
    stream.end()
    #expect(stream.passed.isEmpty)
    stream.gate.goOn(at: Self.soundStart, epoch: 1)
    stream.follow(at: Self.soundStart)
    stream.send(page(until: 1))
    #expect(stream.passed == ["sound"])
    stream.end()
    #expect(stream.passed == ["sound", "end"])
  }

  @Test func aSeekToTheBeginningWaitsForTheSourceToo() throws {
    let stream = try Stream()
    let seek = try seek(to: 0)
    #expect(seek.isAtBeginning)
    #expect(stream.gate.begin(.ogg(OggScan(seek, of: 7)), at: seek.place, target: 0, epoch: 1))
    stream.send(page(until: 39))
    stream.end()
    #expect(stream.passed.isEmpty)
    stream.follow(at: Self.soundStart)
    stream.end()
    #expect(stream.passed == ["end"], "there is nothing more")
  }

  @Test func whereNothingIsFoundBeforeTheEndItLooksElsewhere() throws {
    let stream = try Stream()
    let seek = try seek(to: 39)
    #expect(stream.gate.begin(.ogg(OggScan(seek, of: 7)), at: seek.place, target: 39_000_000_000, epoch: 1))
    stream.follow(at: seek.place)
    stream.end()
    #expect(stream.passed.isEmpty)
    let place = try #require(stream.places.first)
    #expect(place < seek.place)
    stream.end()
    #expect(stream.places.count == 1, "the same end again")
  }

  /// The pad holds the gate. If the gate held the pad, too, each track would stay for ever.
  @Test func theGateGoesWithItsPad() throws {
    weak var gate: SeekGate?
    do {
      let stream = try Stream()
      gate = stream.gate
      #expect(gate != nil)
    }
    #expect(gate == nil)
  }
}
