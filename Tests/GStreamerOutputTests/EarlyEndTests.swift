import Player
import Testing

@testable import GStreamerOutput

/// Answers that don't say how long they are, and end.
@Suite struct EarlyEndTests {
  private let track = Media(uri: "http://server/x.mp3")

  /// Which of these ends, one after the other, are too early for tracks of 200 seconds.
  private func areTooEarly(_ ends: (Media, Double)...) -> [Bool] {
    var rule = EarlyEnd()
    return ends.map { rule.isTooEarly($0, at: .seconds($1), of: .seconds(200)) }
  }

  @Test(
    arguments: [
      (5.3, 14, true), (9, 14, false), (8.9, 14, true), (14, 14, false), (15, 14, false), (0, 4, false),
      (571, 600, false), (569, 600, true),
    ] as [(Double, Double, Bool)])
  func muchIsMissing(end: Double, duration: Double, isEarly: Bool) {
    var rule = EarlyEnd()
    let found = rule.isTooEarly(track, at: .seconds(end), of: .seconds(duration))
    #expect(found == isEarly)
  }

  /// Also when it is played a third time.
  @Test func theSameEndAgainIsTheEnd() {
    #expect(areTooEarly((track, 60), (track, 60.9), (track, 60)) == [true, false, false])
  }

  @Test func anotherEndIsAnotherBreak() {
    #expect(areTooEarly((track, 60), (track, 90), (track, 60)) == [true, true, true])
  }

  @Test func anotherTrackHasItsOwnEnd() {
    #expect(areTooEarly((track, 60), (Media(uri: "http://server/y.mp3"), 60)) == [true, true])
  }

  @Test func aWholeTrackForgetsTheBreak() {
    #expect(areTooEarly((track, 60), (track, 200), (track, 60)) == [true, false, true])
  }

  @Test func theSmallerDurationCounts() {
    func duration(_ found: Double?, _ told: Double?, isPacked: Bool = true) -> Duration? {
      EarlyEnd.duration(
        found: found.map { .seconds($0) }, told: told.map { .seconds($0) }, isPacked: isPacked)
    }
    #expect(duration(nil, nil) == nil)
    #expect(duration(nil, 0) == nil)
    #expect(duration(10, nil) == .seconds(10))
    #expect(duration(nil, 20) == .seconds(20))
    #expect(duration(10, 20) == .seconds(10))
    #expect(duration(20, 10) == .seconds(10))
    // What a WAV header says may be a guess.
    #expect(duration(20_000, nil, isPacked: false) == nil)
    #expect(duration(20_000, 10, isPacked: false) == .seconds(10))
  }
}
