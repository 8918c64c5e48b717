import Listening
import SeededRandom
import Testing

@Suite struct ListenDatingTests {
  private let build: Int64 = 1_700_000_000_000
  private let today: Int64 = 1_800_000_000_000

  private func dating(known: Int64 = 0) -> ListenDating {
    ListenDating(boot: "this", build: build, known: known)
  }

  private func reading(_ date: Int64, at seconds: Int64, isSaid: Bool = false) -> ClockReading {
    ClockReading(date: date, sinceBoot: .seconds(seconds), isSaidToBeSet: isSaid)
  }

  @Test func theKernelIsBelieved() {
    var dating = dating(known: today + 1_000_000)
    let isNew = dating.take(reading(today, at: 10, isSaid: true))
    #expect(isNew && dating.isSet)
    #expect(dating.date(sinceBoot: .seconds(4)) == today - 6000)
  }

  /// Many machines and containers say for good that their clock isn't kept in step.
  @Test func aClockThatIsLaterThanBuildAndStateIsSet() {
    var dating = dating(known: today - 1)
    let isNew = dating.take(reading(today, at: 10))
    #expect(isNew && dating.isSet)
    #expect(dating.known == today, "the state knows it from now on")
  }

  @Test func aClockOfThePastIsNotSet() {
    for (date, known): (Int64, Int64) in [(0, 0), (build, 0), (today, today + 10_000)] {
      var dating = dating(known: known)
      let isNew = dating.take(reading(date, at: 10))
      #expect(!isNew && !dating.isSet && dating.known == known)
      #expect(dating.date(sinceBoot: .seconds(4)) == nil)
    }
  }

  @Test func aListenIsDatedWhenTheClockIsSet() {
    var dating = dating()
    let place = ReportPlace(boot: "this", at: 60_000, date: nil)
    _ = dating.take(reading(3_600_000, at: 60))
    #expect(dating.date(of: place) == nil)
    let isNew = dating.take(reading(today, at: 300, isSaid: true))
    #expect(isNew)
    #expect(dating.date(of: place) == today - 240_000)
  }

  @Test func aClockThatIsSetForwardAndBackIsBelieved() {
    var dating = dating()
    _ = dating.take(reading(today, at: 0))
    let place = ReportPlace(boot: "this", at: 10_000, date: dating.date(sinceBoot: .seconds(10)))
    let day: Int64 = 86_400_000
    let isForward = dating.take(reading(today + day + 20_000, at: 20))
    #expect(isForward && dating.date(of: place) == today + day + 10_000)
    let isBack = dating.take(reading(today + 30_000, at: 30))
    #expect(isBack && dating.isSet, "whoever sets it back knows better than the state")
    #expect(dating.date(of: place) == today + 10_000)
    let isStill = dating.take(reading(today + 40_000, at: 40))
    #expect(!isStill && dating.isSet)
    #expect(dating.known == today + 40_000)
  }

  @Test func aClockThatIsSetToThePastIsNotBelieved() {
    var dating = dating()
    _ = dating.take(reading(today, at: 0))
    let isNew = dating.take(reading(1000, at: 10))
    #expect(!isNew && !dating.isSet)
    // What had a date keeps it.
    #expect(dating.date(of: ReportPlace(boot: "this", at: 5000, date: today + 5000)) == today + 5000)
    let isAgain = dating.take(reading(today + 20_000, at: 20))
    #expect(isAgain && dating.isSet)
  }

  @Test func smallStepsChangeNothing() {
    var dating = dating()
    _ = dating.take(reading(today, at: 0))
    var isNew = dating.take(reading(today + 9_000, at: 10))
    #expect(!isNew && dating.isSet, "one second back")
    isNew = dating.take(reading(today + 8_500, at: 10))
    #expect(!isNew && dating.isSet)
  }

  @Test func otherRunsOfTheMachineKeepTheirDates() {
    var dating = dating()
    _ = dating.take(reading(today, at: 0))
    #expect(dating.date(of: ReportPlace(boot: "other", at: 5, date: 77)) == 77)
    #expect(dating.date(of: ReportPlace(boot: "other", at: 5, date: nil)) == nil)
  }

  /// Whatever the clock does: where it is right in the end, everything of this run has its true date.
  @Test(arguments: 0..<200) func inTheEndAllDatesAreRight(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var dating = dating(known: build)
    var places: [ReportPlace] = []
    var time: Int64 = 0
    for _ in 0..<50 {
      time += Int64.random(in: 0..<100, using: &random)
      let wrong =
        Int64.random(in: 0..<4, using: &random) == 0 ? Int64.random(in: 0..<2 * today, using: &random) : nil
      _ = dating.take(reading(wrong ?? today + time * 1000, at: time, isSaid: wrong == nil))
      places.append(ReportPlace(boot: "this", at: time * 1000, date: dating.date(sinceBoot: .seconds(time))))
    }
    _ = dating.take(reading(today + time * 1000, at: time, isSaid: true))
    for place in places {
      #expect(abs((dating.date(of: place) ?? 0) - today - place.at) <= 2000)
    }
  }
}
