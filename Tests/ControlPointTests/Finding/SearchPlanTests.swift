import NIOCore
import Testing

@testable import ControlPoint

@Suite struct SearchPlanTests {
  private static func at(_ milliseconds: Int64) -> NIODeadline {
    .uptimeNanoseconds(0) + .milliseconds(milliseconds)
  }

  private static func searches(_ plan: inout SearchPlan, until end: Int64) -> [Int64] {
    var times: [Int64] = []
    while let next = plan.nextDeadline, next <= at(end) {
      let isDue = (plan.isDue(now: next), plan.isDue(now: next))
      #expect(isDue == (true, false))
      times.append((next - at(0)).nanoseconds / 1_000_000)
    }
    return times
  }

  @Test func threeTimesAndAgainAfterFiveMinutes() {
    var plan = SearchPlan()
    let isDue = plan.isDue(now: Self.at(0))
    #expect(plan.nextDeadline == nil && !isDue)
    plan.begin(now: Self.at(0))
    #expect(Self.searches(&plan, until: 310_000) == [0, 1000, 3000, 300_000, 301_000, 303_000])
    plan.end()
    #expect(plan.nextDeadline == nil)
  }

  @Test func askingBeginsAnewButNotMoreOften() {
    var plan = SearchPlan()
    for time in 0..<100 {
      plan.begin(now: Self.at(Int64(time) * 10))
      _ = plan.isDue(now: Self.at(Int64(time) * 10))
    }
    // At 0 and at 500 ms; the series of the last request follows.
    #expect(Self.searches(&plan, until: 100_000) == [1000, 1990, 3990])
  }
}
