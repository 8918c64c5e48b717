import CGStreamer
import Player
import Testing

@testable import GStreamerOutput

/// What control points are told about a codec, from the caps that its decoder is given.
@Suite struct CodecDetailsTests {
  private func details(_ caps: String) throws -> CodecDetails {
    GStreamerLibrary.prepare()
    let caps = try #require(gst_caps_from_string(caps))
    defer { gst_caps_unref(caps) }
    return try #require(CodecDetails(caps: caps))
  }

  /// Decoders put 24 bits into 32; the depth is that of the recording.
  @Test(arguments: [
    ("audio/x-alac, samplesize=(int)24, rate=(int)96000", 24), ("audio/x-alac, samplesize=(int)16", 16),
    ("audio/x-wavpack, depth=(int)24", 24), ("audio/x-tta, samplesize=(int)24", 24),
    ("audio/x-dsd, rate=(int)352800", 1),
  ])
  func depthIsThatOfTheRecording(_ caps: String, _ depth: Int) throws {
    var information = TrackInformation()
    information.codec = try details(caps)
    #expect(information.details(try wide()).bitDepth == depth)
  }

  /// A depth that no recording has is no depth: the decoder's counts.
  @Test(arguments: [
    "audio/x-flac", "audio/x-alac, samplesize=(int)0", "audio/x-alac, samplesize=(int)-3",
    "audio/x-alac, samplesize=(int)2000000000",
  ])
  func withoutAKnownDepthTheDecodersCounts(_ caps: String) throws {
    var information = TrackInformation()
    information.codec = try details(caps)
    #expect(information.details(try wide()).bitDepth == 32)
  }

  @Test func lossyCodecsHaveNoDepth() throws {
    var information = TrackInformation()
    information.codec = try details("audio/x-wma, wmaversion=(int)2, depth=(int)16")
    #expect(information.details(try wide()).bitDepth == 0)
  }

  /// GStreamer counts bytes of one-bit samples.
  @Test func theRateOfDSDIsThatOfItsBits() throws {
    var information = TrackInformation()
    information.codec = try details("audio/x-dsd, rate=(int)352800, channels=(int)2")
    let found = information.details(try wide())
    #expect(found.sampleRate == 2_822_400)
    #expect(found.bitRate == 2 * 2_822_400)
  }

  private func wide() throws -> StreamFormat {
    let caps = try #require(
      gst_caps_from_string("audio/x-raw,format=S32LE,rate=352800,channels=2,layout=interleaved"))
    defer { gst_caps_unref(caps) }
    return try #require(StreamFormat(caps: caps))
  }
}

@Suite struct MissingPluginTests {
  @Test(arguments: [
    ("audio/x-flac", "gstreamer1.0-plugins-good"), ("audio/x-vorbis", "gstreamer1.0-plugins-base"),
    ("video/x-ms-asf", "gstreamer1.0-plugins-ugly"), ("audio/x-aiff", "gstreamer1.0-plugins-bad"),
    ("audio/x-tta", "gstreamer1.0-libav"),
  ])
  func namesThePackageThatIsMissing(_ media: String, _ package: String) {
    #expect(MissingPlugin.advice(for: media) { _ in false }.contains("install \(package)"))
  }

  /// To install what is there already helps nobody.
  @Test(arguments: ["audio/x-caf", "audio/x-w64"])
  func doesNotNameAPackageThatIsThere(_ media: String) {
    let advice = MissingPlugin.advice(for: media) { _ in true }
    #expect(!advice.contains("gstreamer1.0"))
    #expect(advice.contains("convert"))
  }
}
