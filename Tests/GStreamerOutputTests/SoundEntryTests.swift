import CGStreamer
import Glibc
import Synchronization
import Testing
import Threads

@testable import GStreamerOutput

/// Where samples enter the device's pipeline, with a pipeline that takes them.
@Suite struct SoundEntryTests {
  /// A stage with a state of its own, as an equaliser has one; it notes where that state lies in memory.
  private struct Filter: SoundStage {
    final class Places: Sendable {
      let seen = Mutex<Set<UInt>>([])
      let calls = Mutex(0)
    }

    let places: Places
    var delayed = [Double](repeating: 0, count: 64)

    func isTransparent(_ layout: ChannelLayout) -> Bool { false }

    mutating func process(_ block: SampleBlock) {
      delayed[0] = block.values.first ?? 0
      let place = delayed.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
      places.seen.withLock { _ = $0.insert(place) }
      places.calls.withLock { $0 += 1 }
    }
  }

  /// Copying them would allocate memory for each block of samples.
  @Test func noBlockCopiesTheStages() throws {
    GStreamerLibrary.prepare()
    let pipeline = try #require(gst_parse_launch("appsrc name=entry format=time ! fakesink sync=false", nil))
    defer { gst_object_unref(pipeline) }
    let bin = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
    let source = try #require(gst_bin_get_by_name(bin, "entry"))
    defer { gst_object_unref(source) }
    let caps = try #require(
      gst_caps_from_string("audio/x-raw,format=S16LE,layout=interleaved,rate=48000,channels=2"))
    defer { gst_caps_unref(caps) }
    let format = try #require(StreamFormat(caps: caps))
    let places = Filter.Places()
    let timeline = Timeline()
    let entry = SoundEntry(
      source: UnsafeMutableRawPointer(source).assumingMemoryBound(to: GstAppSrc.self),
      chain: SoundChain(stages: [Filter(places: places), ChannelStage(mapping: .mono)]), timeline: timeline,
      notify: { _ in })
    timeline.reset(entry: entry, forgetFormat: true)
    timeline.grant(1)
    gst_element_set_state(pipeline, GST_STATE_PLAYING)
    for _ in 0..<200 {
      let buffer = try #require(gst_buffer_new_allocate(nil, 4 * 480, nil))
      let block = PCMBlock(buffer: GstPointer(buffer), format: format, frames: 480, due: nil, factor: 1)
      timeline.put(from: 1, take: { _ in block }, placed: { _ in })
    }
    let deadline = MonotonicTime.now + .seconds(10)
    while timeline.fill.queued > 0, MonotonicTime.now < deadline { usleep(1000) }
    gst_element_set_state(pipeline, GST_STATE_NULL)
    timeline.reset(entry: nil, forgetFormat: true)
    entry.detach()
    #expect(places.calls.withLock { $0 } >= 200)
    #expect(places.seen.withLock { $0.count } == 1)
  }
}
