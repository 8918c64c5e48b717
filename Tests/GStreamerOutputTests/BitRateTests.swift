import Foundation
import Player
import Testing

@testable import GStreamerOutput

/// What is told of the bit rate where the codec doesn't say it: the length of the file by its duration.
@Suite(.serialized) struct BitRateTests {
  /// The last details that are told until the track is ready and `isDone` says that they are enough.
  private func told(
    _ name: String, overHTTP: Bool, isDone: (StreamDetails) -> Bool = { _ in true }
  ) throws -> StreamDetails {
    let recorder = Recorder("null")
    let server = MediaServer()
    recorder.start(
      1, overHTTP ? server.add("/\(name)", fixture: name) : Fixtures.uri(name), paused: true)
    try #require(recorder.wait { $0.isPaused } != nil)
    // The end of an Ogg file is asked for beside its sound.
    recorder.wait { if case .details(_, let details) = $0 { isDone(details) } else { false } }
    // Nothing of it is left for other tests to see.
    recorder.submit(.stop, .release)
    #expect(recorder.ping())
    let details = recorder.events.compactMap { event -> StreamDetails? in
      if case .details(_, let details) = event { details } else { nil }
    }
    return try #require(details.last)
  }

  @Test(arguments: ["a.tta", "a.opus", "a.mka"], [true, false])
  func averageOfTheFile(_ name: String, _ overHTTP: Bool) throws {
    try Fixtures.need("ffmpeg")
    Fixtures.write(Fixtures.sound(frames: 3 * 48000, rate: 48000), "rate.wav", rate: 48000)
    let codec = name.hasSuffix(".mka") ? ["-c:a", "aac"] : []
    let source = ["ffmpeg", "-v", "error", "-y", "-i", Fixtures.path("rate.wav")]
    try #require(Fixtures.run(source + codec + [Fixtures.path(name)]))
    let size = try Data(contentsOf: URL(fileURLWithPath: Fixtures.path(name))).count
    let rate = try told(name, overHTTP: overHTTP, isDone: { $0.bitRate > 0 }).bitRate
    #expect(abs(rate - size * 8 / 3) * 20 < rate)
    #expect(try told(name, overHTTP: true).hasEnd)
  }

  /// FFmpeg's decoders give such samples out in 32 bits.
  @Test(arguments: [("alac", "24.m4a", "s32p"), ("wavpack", "24.wv", "s32p"), ("tta", "24.tta", "s32")])
  func losslessSamplesOf24Bits(_ codec: String, _ name: String, _ format: String) throws {
    try Fixtures.need("ffmpeg")
    try #require(
      Fixtures.run(
        "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=duration=1:sample_rate=48000", "-c:a",
        codec,
        "-sample_fmt", format, "-bits_per_raw_sample", "24", Fixtures.path(name)))
    #expect(try told(name, overHTTP: false, isDone: { $0.bitDepth == 24 }).bitDepth == 24)
  }

  /// The length of the answer is that of the list. Without `#EXT-X-ENDLIST` the stream goes on for ever.
  @Test func aLiveStreamHasNoEnd() throws {
    try Fixtures.need("ffmpeg")
    Fixtures.write(Fixtures.sound(frames: 6 * 44100), "live.wav")
    try #require(
      Fixtures.run(
        "ffmpeg", "-v", "error", "-y", "-i", Fixtures.path("live.wav"), "-c:a", "aac",
        Fixtures.path("live.ts")))
    let list = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:0\n"
    let parts = (0..<3).map { "#EXTINF:6.0,\nlive\($0).ts\n" }.joined()
    try Data((list + parts).utf8).write(to: URL(fileURLWithPath: Fixtures.path("live.m3u8")))
    let server = MediaServer()
    for number in 0..<3 { _ = server.add("/live\(number).ts", fixture: "live.ts") }
    let recorder = Recorder("null")
    recorder.start(1, server.add("/live.m3u8", fixture: "live.m3u8", type: "application/vnd.apple.mpegurl"))
    let details = recorder.wait { if case .details = $0 { true } else { false } }
    guard case .details(_, let told) = details else {
      Issue.record("nothing was told of the stream")
      return
    }
    #expect(!told.hasEnd)
    recorder.submit(.stop, .release)
    #expect(recorder.ping())
  }

  /// The pictures of a film aren't the sound's bit rate.
  @Test func aFilmHasNone() throws {
    try Fixtures.need("ffmpeg")
    try #require(
      Fixtures.run(
        "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=2", "-f",
        "lavfi",
        "-i", "sine=duration=2", "-c:v", "mpeg4", "-c:a", "libopus", Fixtures.path("film.mkv")))
    #expect(try told("film.mkv", overHTTP: false).bitRate == 0)
  }
}
