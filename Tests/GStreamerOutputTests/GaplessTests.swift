import Foundation
import Player
import Testing

@testable import GStreamerOutput

/// Pairs of files played without a gap into a file, as fast as they decode.
@Suite(.serialized) struct GaplessTests {
  private func record(_ names: [String], _ base: String) -> [Int16] {
    let out = base + ".recorded.wav"
    let recorder = Recorder(
      "pipeline:audioconvert ! audio/x-raw,format=S16LE ! wavenc ! filesink location=\(Fixtures.path(out))")
    recorder.start(1, Fixtures.uri(names[0]), paused: true)
    recorder.wait { $0.isPaused }
    recorder.setNext(2, Fixtures.uri(names[1]))
    recorder.submit(.resume(PlayID(1)))
    #expect(recorder.ended(2))
    #expect(recorder.events.contains(.started(PlayID(1))))
    #expect(recorder.events.contains(.started(PlayID(2))))
    recorder.shutdown()
    return Fixtures.read(out)
  }

  @Test(arguments: [
    ("wav", 30001, 40003), ("wav", 700, 52345),
    ("flac", 30001, 40003), ("flac", 700, 52345),
    // Not 700 here: ffmpeg's ALAC files of one packet can't be read by GStreamer 1.22.
    ("alac.m4a", 30001, 40003),
  ])
  func lossless(_ format: String, _ first: Int, _ second: Int) throws {
    try Fixtures.need("flac", "ffmpeg")
    let base = "lossless-\(format)-\(first)"
    let names = try #require(Fixtures.pair(base, format, first: first, second: second))
    #expect(difference(record(names, base), Fixtures.sound(frames: first + second)) == 0)
  }

  /// Against ffmpeg, which minds delay and padding, within one step of rounding.
  @Test(arguments: ["lame.mp3", "vbr.mp3", "ffmpeg.mp3", "ogg"], [(60001, 70003), (44100, 50000)])
  func lossy(_ format: String, _ split: (Int, Int)) throws {
    try Fixtures.need("ffmpeg", format == "ogg" ? "oggenc" : "lame")
    let base = "lossy-\(format)-\(split.0)"
    let names = try #require(Fixtures.pair(base, format, first: split.0, second: split.1))
    let recorded = record(names, base)
    #expect(recorded.count == (split.0 + split.1) * 2)
    // ffmpeg leaves out the last block of such a file; the original's length is what counts.
    if format == "ogg" { return }
    let reference = names.flatMap { Fixtures.decoded($0) }
    #expect(reference.count == recorded.count)
    #expect((difference(recorded, reference) ?? .max) <= 2)
  }

  @Test func aacHasTheLengthOfTheOriginal() throws {
    try Fixtures.need("ffmpeg")
    let names = try #require(Fixtures.pair("aac", "m4a", first: 50001, second: 60007))
    let recorded = record(names, "aac")
    #expect(recorded.count == (50001 + 60007) * 2)
    // ffmpeg minds the delay, but leaves the padding in.
    let reference =
      Array(Fixtures.decoded(names[0]).prefix(50001 * 2)) + Fixtures.decoded(names[1]).prefix(60007 * 2)
    #expect((difference(recorded, reference) ?? .max) <= 2)
  }

  /// Windows Media: the decoder puts two frames before the sound, which ffmpeg leaves out.
  @Test func windowsMediaIsWhatTheReferenceDecoderMakesOfIt() throws {
    try Fixtures.need("ffmpeg")
    let names = try #require(Fixtures.pair("wma", "wma", first: 90001, second: 60007))
    let recorded = record(names, "wma")
    // GStreamer doesn't ask the decoder for the frame that it holds at the end.
    let reference = names.flatMap { Fixtures.decoded($0).dropLast(2048 * 2) }
    #expect(recorded.count == reference.count)
    #expect((difference(recorded, reference) ?? .max) <= 2)
  }

  /// Two of the codec's frames, whose length depends on version and rate.
  @Test(arguments: [
    (2, 44100, 4096), (2, 48000, 4096), (1, 44100, 4096), (2, 22050, 2048), (1, 32000, 2048),
    (2, 32000, 4096),
    (1, 16000, 1024), (2, 8000, 1024),
  ])
  func delayOfWindowsMedia(_ version: Int, _ rate: Int, _ frames: Int) {
    #expect(WindowsMediaDelay(version: version, rate: rate).frames == frames)
  }

  @Test func opusHasTheLengthOfTheOriginal() throws {
    try Fixtures.need("opusenc")
    let names = try #require(Fixtures.pair("opus", "opus", first: 48001, second: 60007, rate: 48000))
    #expect(record(names, "opus").count == (48001 + 60007) * 2)
  }
}
