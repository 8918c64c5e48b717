import Foundation
import Player
import Testing

@testable import GStreamerOutput

/// The outputs that tests of rooms use: their names, and what they say of the time.
@Suite struct TrialClockTests {
  @Test func optionsStandBehindTheName() throws {
    #expect(
      try SinkChoice(name: "file:/a.wav?ppm=+50&times=/b.times")
        == .file(path: "/a.wav", clock: TrialClock(ppm: 50, times: "/b.times")))
    #expect(
      try SinkChoice(name: "file:/a.wav?times=/b?.times")
        == .file(path: "/a.wav?times=/b?.times", clock: .none))
    #expect(
      try SinkChoice(name: "file:/a?b=c.wav?ppm=-1000")
        == .file(path: "/a?b=c.wav", clock: TrialClock(ppm: -1000)))
    #expect(try SinkChoice(name: "file:/what?.wav") == .file(path: "/what?.wav"))
    #expect(try SinkChoice(name: "null?ppm=-50") == .null(clock: TrialClock(ppm: -50)))
  }

  @Test(arguments: [
    "file:/a.wav?ppm=fast", "file:/a.wav?ppm=1001", "file:/a.wav?ppm=", "file:/a.wav?times=b",
    "file:/a.wav?ppm=1&loud=1", "file:/a.wav?ppm=1&", "file:?ppm=1", "file:a.wav?ppm=1", "null?ppm=x",
    "null?times=/b", "null?loud", "auto?ppm=1",
  ])
  func wrongOptionsAreRefused(name: String) {
    #expect(throws: PlaybackFailure.self) { try SinkChoice(name: name) }
  }

  /// A thousand ppm fast: a second of sound is heard in 999 ms, and the lines say so to the nanosecond.
  @Test func timesFollowTheBentClock() throws {
    let sound = Fixtures.sound(frames: 44100)
    Fixtures.write(sound, "trial.wav")
    let (output, times) = (Fixtures.path("trial.out.wav"), Fixtures.path("trial.times"))
    for path in [output, times] { try? FileManager.default.removeItem(atPath: path) }
    let recorder = Recorder("file:\(output)?ppm=1000&times=\(times)")
    let before = MonotonicTime.now.nanoseconds
    recorder.start(1, Fixtures.uri("trial.wav"))
    #expect(recorder.ended(1))
    recorder.submit(.release)
    #expect(recorder.ping())
    #expect(Fixtures.read("trial.out.wav") == sound)
    let lines = try String(contentsOfFile: times, encoding: .utf8).split(separator: "\n")
      .map { $0.split(separator: " ").compactMap { Int64($0) } }
    let (first, last) = (try #require(lines.first), try #require(lines.last))
    #expect(lines.allSatisfy { $0.count == 4 && $0[2] == 44100 && $0[3] > -1_000_000 })
    #expect(first[0] == 0 && first[1] > before && last[0] > 22050)
    let expected = Double(last[0]) / 44100 * 1e9 * 1000 / 1001
    #expect(abs(Double(last[1] - first[1]) - expected) < 3)
  }
}
