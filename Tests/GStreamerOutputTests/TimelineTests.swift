import CGStreamer
import Testing

@testable import GStreamerOutput

/// How much waits for the device, and when a device that has run dry goes on.
@Suite struct TimelineTests {
  private func timeline() throws -> (Timeline, StreamFormat) {
    GStreamerLibrary.prepare()
    let caps = try #require(
      gst_caps_from_string("audio/x-raw,format=S16LE,layout=interleaved,rate=48000,channels=2"))
    defer { gst_caps_unref(caps) }
    let format = try #require(StreamFormat(caps: caps))
    let timeline = Timeline()
    timeline.format = format
    return (timeline, format)
  }

  /// By sound, whatever bit rate it had: of a station of 24 kbit/s, 64 kB are more than 20 seconds.
  @Test func whatHasRunDryGoesOnWithMoreThanASecond() throws {
    let (timeline, format) = try timeline()
    timeline.refill()
    timeline.put(frames: 48_000)
    #expect(timeline.accepts(format), "half a second isn't all it takes now")
    #expect(!timeline.isRefilled)
    timeline.put(frames: 12_000)
    #expect(timeline.isRefilled)
    #expect(!timeline.accepts(format))
    timeline.endRefilling()
    #expect(!timeline.accepts(format), "it is more than the usual")
    _ = timeline.took(frames: 50_000)
    #expect(timeline.accepts(format))
    timeline.put(frames: 24_000)
    #expect(!timeline.accepts(format))
  }

  @Test func aFullOneTakesMoreWhenItIsRefilled() throws {
    let (timeline, format) = try timeline()
    timeline.put(frames: 24_000)
    #expect(!timeline.accepts(format))
    #expect(timeline.isRefilled)
    timeline.refill()
    #expect(timeline.accepts(format))
    #expect(!timeline.isRefilled)
  }
}
