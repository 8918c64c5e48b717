import Foundation
import Player
import Testing

@testable import GStreamerOutput

/// Which gain follows from which tags.
struct LoudnessTagsTests {
  private func tags(_ track: Double?, _ album: Double?, peaks: Double? = nil) -> LoudnessTags {
    LoudnessTags(track: .init(gain: track, peak: peaks), album: .init(gain: album, peak: peaks))
  }

  private func decibels(_ factor: Double) -> Double { 20 * log10(factor) }

  @Test func theWishedGainOrTheOther() {
    let both = tags(-6, -3)
    #expect(both.factor(ReplayGain()) == 1)
    #expect(abs(decibels(both.factor(ReplayGain(mode: .track))) + 6) < 1e-9)
    #expect(abs(decibels(both.factor(ReplayGain(mode: .album))) + 3) < 1e-9)
    #expect(abs(decibels(tags(-6, nil).factor(ReplayGain(mode: .album))) + 6) < 1e-9)
    #expect(abs(decibels(tags(nil, -3).factor(ReplayGain(mode: .track))) + 3) < 1e-9)
    #expect(abs(decibels(both.factor(ReplayGain(mode: .track, preamp: 4))) + 2) < 1e-9)
  }

  @Test func withoutTagsTheFallback() {
    #expect(LoudnessTags().factor(ReplayGain(mode: .track)) == 1)
    #expect(abs(decibels(LoudnessTags().factor(ReplayGain(mode: .track, fallback: -7))) + 7) < 1e-9)
    // Nobody knows the peak: full scale must be expected.
    #expect(LoudnessTags().factor(ReplayGain(mode: .track, preamp: 6)) == 1)
  }

  @Test func thePeakStaysBelowFullScale() {
    let loud = tags(8, nil, peaks: 0.8)
    #expect(abs(loud.factor(ReplayGain(mode: .track)) - 1.25) < 1e-9)
    #expect(abs(decibels(loud.factor(ReplayGain(mode: .track, preventsClipping: false))) - 8) < 1e-9)
    #expect(abs(decibels(tags(-6, nil, peaks: 1.2).factor(ReplayGain(mode: .track))) + 6) < 1e-9)
    #expect(tags(3, nil).factor(ReplayGain(mode: .track)) == 1)
  }

  @Test func r128CommentsAreFiveDecibelsLower() {
    var tags = LoudnessTags()
    tags.read(comment: "R128_TRACK_GAIN=-1280")
    tags.read(comment: "r128_album_gain=256")
    #expect(tags.track.gain == 0)
    #expect(tags.album.gain == 6)
    for comment in ["R128_TRACK_GAIN=", "R128_TRACK_GAIN=99999", "R128_TRACK_GAIN", "OTHER=1"] {
      tags.read(comment: comment)
    }
    #expect(tags.track.gain == 0)
    // Farther off than any music is.
    tags.read(comment: "R128_TRACK_GAIN=32767")
    #expect(tags.track.gain == nil)
  }
}

/// Tagged files as they are heard.
@Suite(.serialized) struct LoudnessTests {
  private func record(_ names: [String], _ replayGain: ReplayGain) -> [Int16] {
    let out = "loudness.recorded.wav"
    let recorder = Recorder(
      "pipeline:audioconvert ! audio/x-raw,format=S16LE ! wavenc ! filesink location=\(Fixtures.path(out))",
      replayGain: replayGain)
    recorder.start(1, Fixtures.uri(names[0]), paused: true)
    recorder.wait { $0.isPaused }
    if names.count > 1 { recorder.setNext(2, Fixtures.uri(names[1])) }
    recorder.submit(.resume(PlayID(1)))
    #expect(recorder.ended(UInt64(names.count)))
    recorder.shutdown()
    return Fixtures.read(out)
  }

  private func scaled(_ samples: some Sequence<Int16>, _ decibels: Double) -> [Int16] {
    let factor = pow(10, decibels / 20)
    return samples.map { Int16((Double($0) * factor).rounded()) }
  }

  /// Whether it is the same but for rounding and the dither: two steps at most, and none in the mean.
  private func isRounded(_ played: [Int16], _ expected: [Int16]) -> Bool {
    let errors = zip(played, expected).map { Double($0) - Double($1) }
    return (difference(played, expected) ?? .max) <= 2
      && abs(errors.reduce(0, +) / Double(max(1, errors.count))) < 0.02
  }

  private func level(_ samples: some Collection<Int16>) -> Double {
    let power = samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))
    return 10 * log10(power)
  }

  @Test func eachTrackHasItsOwnFromTheFirstSampleOn() throws {
    try Fixtures.need("flac", "metaflac")
    let (first, second) = (30001, 40003)
    let names = try #require(Fixtures.pair("loudness", "flac", first: first, second: second))
    for (name, gain, album) in [(names[0], "-6.50 dB", "-3.00 dB"), (names[1], "-2.00 dB", "-3.00 dB")] {
      #expect(
        Fixtures.run(
          "metaflac", "--set-tag=REPLAYGAIN_TRACK_GAIN=\(gain)", "--set-tag=REPLAYGAIN_TRACK_PEAK=0.6",
          "--set-tag=REPLAYGAIN_ALBUM_GAIN=\(album)", Fixtures.path(name)))
    }
    let sound = Fixtures.sound(frames: first + second)
    #expect(record(names, ReplayGain()) == sound)
    #expect(
      isRounded(
        record(names, ReplayGain(mode: .track)),
        scaled(sound.prefix(first * 2), -6.5) + scaled(sound.dropFirst(first * 2), -2)))
    #expect(isRounded(record(names, ReplayGain(mode: .album)), scaled(sound, -3)))
    #expect(isRounded(record(names, ReplayGain(mode: .album, preamp: -1.5)), scaled(sound, -4.5)))
  }

  @Test func withoutTagsSamplesStay() throws {
    try Fixtures.need("flac")
    let names = try #require(Fixtures.pair("untagged", "flac", first: 20000, second: 10))
    #expect(record([names[0]], ReplayGain(mode: .album)) == Fixtures.sound(frames: 20000))
  }

  @Test func itHoldsAfterASeek() throws {
    try Fixtures.need("flac", "metaflac")
    let names = try #require(Fixtures.pair("loudseek", "flac", first: 66150, second: 10))
    #expect(Fixtures.run("metaflac", "--set-tag=REPLAYGAIN_TRACK_GAIN=-4 dB", Fixtures.path(names[0])))
    let recorder = Recorder(
      "file:\(Fixtures.path("loudseek.out.wav"))", replayGain: ReplayGain(mode: .track))
    recorder.start(1, Fixtures.uri(names[0]), at: .seconds(1))
    #expect(recorder.ended(1))
    recorder.shutdown()
    #expect(
      isRounded(
        Fixtures.read("loudseek.out.wav"),
        scaled(Fixtures.sound(frames: 66150).dropFirst(44100 * 2), -4)))
  }

  /// Through each kind of tag, against the same file played as it is.
  @Test(arguments: ["mp3", "ape.mp3", "ogg", "opus", "wv", "24.flac"])
  func everyKindOfTag(_ kind: String) throws {
    try Fixtures.need("ffmpeg", "opusenc", "oggenc")
    let name = "kind.\(kind)"
    Fixtures.write(Fixtures.sound(frames: 48000, rate: 48000), "kind.wav", rate: 48000)
    let (wav, path) = (Fixtures.path("kind.wav"), Fixtures.path(name))
    let gain = "REPLAYGAIN_TRACK_GAIN=-6.00 dB"
    let isMade =
      switch kind {
      case "opus": Fixtures.run("opusenc", "--quiet", "--comment", "R128_TRACK_GAIN=-2816", wav, path)
      case "ogg": Fixtures.run("oggenc", "-Q", "-c", gain, "-o", path, wav)
      case "24.flac":
        Fixtures.run(
          "ffmpeg", "-v", "error", "-y", "-i", wav, "-af", "volume=-1dB", "-sample_fmt", "s32",
          "-metadata", gain, path)
      case "ape.mp3":
        Fixtures.run(
          "ffmpeg", "-v", "error", "-y", "-i", wav, "-id3v2_version", "0", "-write_id3v1", "0", path)
      default: Fixtures.run("ffmpeg", "-v", "error", "-y", "-i", wav, "-metadata", gain, path)
      }
    try #require(isMade)
    if kind == "ape.mp3" { try appendAPE(path) }
    let plain = record([name], ReplayGain())
    let louder = record([name], ReplayGain(mode: .track))
    #expect(plain.count == 96000)
    #expect(louder.count == plain.count)
    #expect(abs(level(plain) - level(louder) - 6) < 0.01)
    // From the very first sample on, within the dither of 24 bits or floats that become 16.
    #expect((difference(louder, scaled(plain, -6)) ?? .max) <= 2)
  }

  /// An APEv2 tag with the gain, as it stands at the end of many MP3 files.
  private func appendAPE(_ path: String) throws {
    func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    let value = Array("-6.00 dB".utf8)
    let item = little(value.count) + little(0) + Array("REPLAYGAIN_TRACK_GAIN".utf8) + [0] + value
    func frame(_ flags: Int) -> [UInt8] {
      Array("APETAGEX".utf8) + little(2000) + little(item.count + 32) + little(1) + little(flags)
        + [UInt8](repeating: 0, count: 8)
    }
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.seekToEnd()
    try handle.write(contentsOf: frame(0xa000_0000) + item + frame(0x8000_0000))
    try handle.close()
  }
}
