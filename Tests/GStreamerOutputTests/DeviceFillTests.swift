import CGStreamer
import Testing

@testable import GStreamerOutput

/// How much waits for the device, and when a device that has run dry goes on.
@Suite struct DeviceFillTests {
  private func format() throws -> StreamFormat {
    GStreamerLibrary.prepare()
    let caps = try #require(
      gst_caps_from_string("audio/x-raw,format=S16LE,layout=interleaved,rate=48000,channels=2"))
    defer { gst_caps_unref(caps) }
    return try #require(StreamFormat(caps: caps))
  }

  /// By sound, whatever bit rate it had: of a station of 24 kbit/s, 64 kB are more than 20 seconds.
  @Test func whatHasRunDryGoesOnWithMoreThanASecond() throws {
    let format = try format()
    var fill = DeviceFill(format: format)
    fill.refill()
    #expect(fill.put(frames: 48_000, format: format) == 0)
    #expect(!fill.isFull, "half a second isn't all it takes now")
    #expect(!fill.isRefilled)
    #expect(fill.put(frames: 12_000, format: format) == 48_000)
    #expect(fill.isRefilled)
    #expect(fill.isFull)
    fill.endRefilling()
    #expect(fill.isFull, "it is more than the usual")
    #expect(fill.took(frames: 50_000) == (hasRoom: true, isDry: false))
    #expect(!fill.isFull)
    _ = fill.put(frames: 24_000, format: format)
    #expect(fill.isFull)
  }

  @Test func aFullOneTakesMoreWhenItIsRefilled() throws {
    let format = try format()
    var fill = DeviceFill(format: format)
    _ = fill.put(frames: 24_000, format: format)
    #expect(fill.isFull)
    #expect(fill.isRefilled)
    fill.refill()
    #expect(!fill.isFull)
    #expect(!fill.isRefilled)
  }

  @Test func theDeviceRunsDryOnce() throws {
    let format = try format()
    var fill = DeviceFill()
    #expect(fill.isEmpty && !fill.isStarved)
    _ = fill.put(frames: 100, format: format)
    #expect(fill.format == format)
    #expect(fill.took(frames: 60) == (hasRoom: false, isDry: false))
    #expect(fill.took(frames: 40) == (hasRoom: false, isDry: true))
    #expect(fill.isStarved && !fill.isEmpty)
    #expect(fill.took(frames: 40) == (hasRoom: false, isDry: false))
    _ = fill.put(frames: 10, format: format)
    #expect(!fill.isStarved)
    fill.reset(forgetFormat: false)
    #expect(fill == DeviceFill(format: format))
  }

  /// A network receiver knows when its samples are due; a track's follow each other.
  @Test func blocksMayBeDueLater() throws {
    let format = try format()
    var fill = DeviceFill()
    #expect(fill.put(frames: 100, format: format, due: 4800) == 4800)
    #expect(fill.put(frames: 100, format: format) == 4900)
    #expect(fill.put(frames: 100, format: format, due: 0) == 5000, "it is too late for it")
    #expect(fill.queued == 300)
    #expect(fill.end == format.nanoseconds(frames: 5100))
  }
}
