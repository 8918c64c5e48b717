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

  @Test(arguments: ["wav", "flac", "alac.m4a"], [(30001, 40003), (700, 52345)])
  func lossless(_ format: String, _ split: (Int, Int)) throws {
    if format == "flac" { try #require(Fixtures.has("flac")) }
    if format == "alac.m4a", !Fixtures.has("ffmpeg") { return }
    // ffmpeg's ALAC files of one packet can't be read by GStreamer 1.22.
    if format == "alac.m4a", split.0 < 4096 { return }
    let base = "lossless-\(format)-\(split.0)"
    let names = try #require(Fixtures.pair(base, format, first: split.0, second: split.1))
    #expect(difference(record(names, base), Fixtures.sound(frames: split.0 + split.1)) == 0)
  }

  /// Against ffmpeg, which minds delay and padding, within one step of rounding.
  @Test(arguments: ["lame.mp3", "vbr.mp3", "ffmpeg.mp3", "ogg"], [(60001, 70003), (44100, 50000)])
  func lossy(_ format: String, _ split: (Int, Int)) throws {
    guard Fixtures.has("ffmpeg"), Fixtures.has(format == "ogg" ? "oggenc" : "lame") else { return }
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
    guard Fixtures.has("ffmpeg") else { return }
    let names = try #require(Fixtures.pair("aac", "m4a", first: 50001, second: 60007))
    let recorded = record(names, "aac")
    #expect(recorded.count == (50001 + 60007) * 2)
    // ffmpeg minds the delay, but leaves the padding in.
    let reference =
      Array(Fixtures.decoded(names[0]).prefix(50001 * 2)) + Fixtures.decoded(names[1]).prefix(60007 * 2)
    #expect((difference(recorded, reference) ?? .max) <= 2)
  }

  @Test func opusHasTheLengthOfTheOriginal() throws {
    guard Fixtures.has("opusenc") else { return }
    let names = try #require(Fixtures.pair("opus", "opus", first: 48001, second: 60007, rate: 48000))
    #expect(record(names, "opus").count == (48001 + 60007) * 2)
  }
}
