import SeededRandom
import Testing

@testable import Listening

@Suite struct ReportScheduleTests {
  private var random = SeededRandom(seed: 7)

  private mutating func end(
    _ schedule: inout ReportSchedule, _ verdict: ReportVerdict, count: Int = 1, at now: Duration
  ) -> Bool {
    schedule.begin(at: now)
    return schedule.end(verdict, count: count, at: now, using: &random)
  }

  @Test func oneCallAtATimeAndOneASecond() {
    var random = random
    var schedule = ReportSchedule(.listenBrainz)
    #expect(schedule.mayCall(at: .zero))
    schedule.begin(at: .seconds(10))
    #expect(schedule.due == nil && !schedule.mayCall(at: .seconds(100)), "one is under way")
    _ = schedule.end(.accepted, count: 1, at: .seconds(10), using: &random)
    #expect(schedule.due == .seconds(11))
    #expect(!schedule.mayCall(at: .milliseconds(10_999)) && schedule.mayCall(at: .seconds(11)))
  }

  @Test mutating func pausesDoubleUpToAnHour() throws {
    var schedule = ReportSchedule(.webhook)
    var now = Duration.zero
    for seconds in [30.0, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600] {
      _ = end(&schedule, .failed("it is off"), at: now)
      let pause = try #require(schedule.due) - now
      #expect(pause >= .seconds(seconds * 0.8) && pause <= .seconds(seconds))
      now += pause
      #expect(schedule.mayCall(at: now))
    }
    _ = end(&schedule, .accepted, at: now)
    _ = end(&schedule, .failed("it is off"), at: now)
    #expect(try #require(schedule.due) - now <= .seconds(30), "from the beginning")
  }

  @Test mutating func aNetworkThatComesEndsThePause() {
    var schedule = ReportSchedule(.listenBrainz)
    _ = end(&schedule, .failed("no network"), at: .seconds(5))
    _ = end(&schedule, .failed("no network"), at: .seconds(40))
    schedule.networkCame()
    #expect(schedule.due == .seconds(41) && schedule.failures == 0)
    // A server that wants to be left alone doesn't care.
    _ = end(&schedule, .limited(.seconds(90)), at: .seconds(50))
    schedule.networkCame()
    #expect(schedule.due == .seconds(140))
  }

  @Test mutating func aLimitIsWaitedFor() throws {
    var schedule = ReportSchedule(.listenBrainz)
    _ = end(&schedule, .limited(.seconds(7)), at: .seconds(5))
    #expect(schedule.due == .seconds(12))
    _ = end(&schedule, .limited(nil), at: .seconds(20))
    #expect(try #require(schedule.due) >= .seconds(20 + 24))
  }

  @Test(arguments: [ReportVerdict.Refusal.token, .gone]) mutating func aRefusalStops(
    refusal: ReportVerdict.Refusal
  ) {
    var schedule = ReportSchedule(.listenBrainz)
    _ = end(&schedule, .refused(refusal), at: .seconds(5))
    schedule.networkCame()
    #expect(schedule.due == nil && schedule.state == .stopped(refusal))
    schedule.tryAgain()
    #expect(schedule.mayCall(at: .seconds(6)))
  }

  /// The server takes none that has a certain report in it, as with 400 and 413.
  @Test(arguments: 0..<100) mutating func theWrongOnesAreFound(seed: UInt64) {
    random = SeededRandom(seed: seed)
    let count = Int.random(in: 1...400, using: &random)
    let bad = Set(
      (0..<Int.random(in: 0...5, using: &random)).map { _ in Int.random(in: 0..<count, using: &random) })
    var schedule = ReportSchedule(.listenBrainz)
    var waiting = Array(0..<count)
    var (taken, dropped, calls): ([Int], [Int], Int) = ([], [], 0)
    while !waiting.isEmpty, calls < 1000 {
      let batch = waiting.prefix(schedule.most)
      let isRefused = batch.contains(where: bad.contains)
      let isDropped = end(&schedule, isRefused ? .malformed : .accepted, count: batch.count, at: .zero)
      if isDropped { dropped += batch } else if !isRefused { taken += batch }
      if isDropped || !isRefused { waiting.removeFirst(batch.count) }
      calls += 1
    }
    #expect(Set(dropped) == bad && taken.count == count - bad.count)
    #expect(calls <= 20 * (bad.count + 1) + count / 200, "\(calls)")
    #expect(schedule.most >= 2 || count == 1 || bad.count > 0)
  }

  @Test(arguments: 0..<100) mutating func whateverHappensCallsAreFarApart(seed: UInt64) {
    random = SeededRandom(seed: seed)
    var schedule = ReportSchedule(.listenBrainz)
    var now = Duration.zero
    var last: Duration?
    for _ in 0..<500 {
      now += .milliseconds(Int.random(in: 0...5000, using: &random))
      if case .calling = schedule.state {
        let verdicts: [ReportVerdict] = [
          .accepted, .malformed, .failed(""), .limited(nil), .limited(.seconds(3)), .refused(.token),
        ]
        _ = schedule.end(
          verdicts.randomElement(using: &random) ?? .accepted, count: 3, at: now, using: &random)
      } else if schedule.mayCall(at: now) {
        if let last { #expect(now - last >= .seconds(1)) }
        last = now
        schedule.begin(at: now)
      } else if Int.random(in: 0..<10, using: &random) == 0 {
        if Bool.random(using: &random) { schedule.networkCame() } else { schedule.tryAgain() }
      }
      #expect((1...200).contains(schedule.most))
      if let due = schedule.due { #expect(due - now <= .seconds(3600)) }
    }
  }
}
