import Foundation
import Player
import Testing

@testable import GStreamerOutput

/// `[audio] rates`: which rate is chosen, and that the device is given it.
@Suite struct AllowedRatesTests {
  @Test(
    arguments: [
      ([], 44100, 44100), ([], 11025, 11025),
      // Allowed as it is.
      ([44100, 48000], 44100, 44100), ([88200, 44100], 44100, 44100),
      // The smallest multiple, even where something else is nearer.
      ([44100], 22050, 44100), ([96000, 88200, 48000, 44100], 22050, 44100), ([24000, 44100], 22050, 44100),
      ([192_000, 96000, 44100], 48000, 96000), ([44100, 48000], 8000, 48000), ([48000, 44100], 11025, 44100),
      // The smallest above.
      ([96000, 48000], 44100, 48000), ([48000, 44100], 32000, 44100), ([88200], 48000, 88200),
      // The largest.
      ([44100, 48000], 96000, 48000), ([48000, 44100], 88200, 48000), ([44100], 768_000, 44100),
    ] as [([Int], Int, Int)])
  func theRateIsChosen(allowed: [Int], rate: Int, chosen: Int) {
    #expect(AllowedRates(allowed).rate(for: rate) == chosen)
  }

  /// Records a file of `rate`, and what the player is told of the device.
  private func record(
    _ name: String, _ samples: [Int16], _ rate: Int, allowed: [Int], through description: String? = nil
  ) -> (rate: Int, samples: [Int16], path: SoundPath?) {
    Fixtures.write(samples, "\(name).wav", rate: rate)
    let out = "\(name).recorded.wav"
    let output =
      description.map { "pipeline:\($0) ! wavenc ! filesink location=\(Fixtures.path(out))" }
      ?? "file:\(Fixtures.path(out))"
    let recorder = Recorder(output, rates: AllowedRates(allowed))
    recorder.start(1, Fixtures.uri("\(name).wav"))
    #expect(recorder.ended(1))
    var path: SoundPath?
    let report = recorder.wait { $0.isDevice { if case .open = $0 { true } else { false } } }
    if case .device(.open(_, let told)) = report { path = told }
    recorder.shutdown()
    let header = (try? Data(contentsOf: Fixtures.directory.appendingPathComponent(out))) ?? Data()
    let written = header.count > 28 ? header[24..<28].reversed().reduce(0) { $0 << 8 | Int($1) } : 0
    return (written, Fixtures.read(out), path)
  }

  @Test(arguments: [(22050, [44100], 44100), (32000, [48000, 44100], 44100), (48000, [44100], 44100)])
  func soundOfAnotherRateIsConverted(rate: Int, allowed: [Int], chosen: Int) throws {
    let sound = Fixtures.sound(frames: rate / 2, rate: Double(rate))
    let recorded = record("rates-\(rate)", sound, rate, allowed: allowed)
    #expect(recorded.rate == chosen)
    #expect(recorded.path?.changes == [.resampled(from: rate, to: chosen)])
    let wanted = Fixtures.sound(frames: chosen / 2, rate: Double(chosen))
    #expect(abs(recorded.samples.count - wanted.count) <= 4)
    // At both ends the filter sees only half of the sound; in between it may shift it by a part of a sample.
    let middle = 2000..<wanted.count - 2000
    try #require(recorded.samples.count >= middle.upperBound)
    #expect(try #require(difference(Array(recorded.samples[middle]), Array(wanted[middle]))) < 300)
  }

  @Test func soundOfAnAllowedRateStaysUntouched() {
    let sound = Fixtures.sound(frames: 22050)
    let recorded = record("rates-kept", sound, 44100, allowed: [48000, 44100])
    #expect(recorded.rate == 44100)
    #expect(recorded.samples == sound)
    #expect(recorded.path?.isBitPerfect == true)
  }

  /// Of the allowed rates the device is given the best that it takes, and where it takes none, its own rather than nothing.
  @Test(arguments: [([44100], 48000), ([44100, 32000, 48000], 48000)])
  func aDeviceIsGivenWhatItTakes(allowed: [Int], given: Int) {
    let sound = Fixtures.sound(frames: 11025, rate: 22050)
    let recorded = record(
      "rates-other-\(allowed.count)", sound, 22050, allowed: allowed,
      through: "capsfilter caps=audio/x-raw,rate=\(given),format=S16LE")
    #expect(recorded.rate == given)
    #expect(abs(recorded.samples.count - given) <= 4)
  }

  /// The resampler runs on through the joint.
  @Test func tracksOfOneRateAreJoinedAsBefore() throws {
    let frames = (first: 10007, second: 12001)
    let names = try #require(
      Fixtures.pair("rates-joined", "wav", first: frames.first, second: frames.second, rate: 22050))
    let out = "rates-joined.recorded.wav"
    let recorder = Recorder("file:\(Fixtures.path(out))", rates: AllowedRates([44100]))
    recorder.start(1, Fixtures.uri(names[0]))
    recorder.setNext(2, Fixtures.uri(names[1]))
    #expect(recorder.ended(2))
    recorder.shutdown()
    let (recorded, wanted) = (Fixtures.read(out), Fixtures.sound(frames: 44016))
    let joint = frames.first * 4 - 2000..<frames.first * 4 + 2000
    try #require(recorded.count >= joint.upperBound)
    #expect(try #require(difference(Array(recorded[joint]), Array(wanted[joint]))) < 300)
  }

  /// A recording keeps the format of its first track, in front of the device's resampler.
  @Test func aTrackThatIsConvertedTwiceIsNotCalledBitPerfect() throws {
    let names = ["rates-first.wav", "rates-second.wav"]
    Fixtures.write(Fixtures.sound(frames: 11025, rate: 22050), names[0], rate: 22050)
    Fixtures.write(Fixtures.sound(frames: 22050), names[1])
    let recorder = Recorder("null", rates: AllowedRates([44100]))
    recorder.start(1, Fixtures.uri(names[0]))
    recorder.setNext(2, Fixtures.uri(names[1]))
    #expect(recorder.ended(2))
    recorder.shutdown()
    let changes = recorder.events.compactMap { event -> [SoundPath.Change]? in
      if case .device(.open(_, let path)) = event { path.changes } else { nil }
    }
    #expect(
      changes == [
        [.resampled(from: 22050, to: 44100)],
        [.resampled(from: 44100, to: 22050), .resampled(from: 22050, to: 44100)],
      ])
  }
}
