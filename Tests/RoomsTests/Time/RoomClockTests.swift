import Testing

@testable import Rooms

/// How well the room time is learnt over networks that delay.
@Suite struct RoomClockTests {
  private static let millisecond: Int64 = 1_000_000

  /// A network, and the largest errors allowed after 3, 10, 30 and 60 s: 95 of 100, in microseconds.
  struct Network: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var there: Double
    var back: Double
    var knowsRate = false
    var limits: [Int64]
  }

  /// What was aimed at is 496, 208, 89, 96 for the first row, 170, 33, 10, 17 for the third, and 292, 41, 54, 38 for the last,
  /// from 8 runs each. In 10 runs the largest errors differ by a third from that. The second row aimed at 971, 103, 190 and
  /// 270; after 10 s the best possible is about 300.
  @Test(arguments: [
    Network(testDescription: "5 ms each way", there: 5e6, back: 5e6, limits: [500, 270, 116, 116]),
    Network(testDescription: "2 and 20 ms", there: 2e6, back: 20e6, limits: [1260, 400, 247, 247]),
    Network(testDescription: "1 ms", there: 1e6, back: 1e6, limits: [170, 60, 24, 22]),
    Network(testDescription: "a quiet wire", there: 5e4, back: 5e4, limits: [20, 5, 2, 2]),
    Network(
      testDescription: "5 ms, the rate is known", there: 5e6, back: 5e6, knowsRate: true,
      limits: [292, 90, 70, 50]),
  ]) func theErrorFalls(_ network: Network) {
    var errors: [[Int64]] = [[], [], [], []]
    for seed in 1...10 as ClosedRange<UInt64> {
      var rig = ClockRig(
        seed: seed, there: network.there, back: network.back, knowsRate: network.knowsRate)
      for (mark, seconds) in [3.0, 7, 20, 30].enumerated() {
        rig.run(seconds: seconds)
        errors[mark].append(rig.error)
      }
      #expect(rig.clock.restarts == 0)
    }
    for (mark, limit) in network.limits.enumerated() {
      #expect(p95(errors[mark]) < limit * 1000, "mark \(mark), median \(median(errors[mark]))")
    }
  }

  @Test func bothDirectionsOfTheLineAgree() {
    var rig = ClockRig(seed: 3, there: 1e6, back: 1e6)
    #expect(!rig.clock.isKnown && rig.clock.room(local: 7) == 7 && rig.clock.local(room: 7) == 7)
    rig.run(seconds: 11)
    for local in stride(from: rig.now - 10_000_000_000, to: rig.now + 10_000_000_000, by: 333_333_333) {
      #expect(abs(rig.clock.local(room: rig.clock.room(local: local)) - local) <= 1)
    }
    #expect(abs(rig.clock.rate - rig.rate) < 20e-6 && rig.clock.isRateKnown)
    #expect((300_000...500_000).contains(rig.clock.halfWidth))
  }

  @Test func itSettlesWithinASecond() {
    var quiet = ClockRig(seed: 1, there: 5e4, back: 5e4)
    quiet.run(seconds: 0.3)
    #expect(quiet.clock.isKnown && !quiet.clock.isSettled, "20 answers are needed")
    quiet.run(seconds: 0.5)
    #expect(quiet.clock.isSettled)
    var shaky = ClockRig(seed: 1, there: 2e6, back: 20e6)
    shaky.run(seconds: 1.3)
    #expect(shaky.clock.isSettled)
  }

  @Test(arguments: [-3600, -0.004, 0.004, 0.3, 86400] as [Double])
  func aSteppedClockIsNoticed(_ step: Double) {
    var rig = ClockRig(seed: 2, there: 1e6, back: 1e6)
    rig.run(seconds: 20)
    rig.offset += Int64(step * 1e9)
    rig.run(seconds: 0.5)
    #expect(rig.clock.restarts == 1)
    #expect(abs(rig.error) < 3 * Self.millisecond)
    rig.run(seconds: 3)
    #expect(abs(rig.error) < 300_000)
    #expect(rig.clock.restarts == 1)
  }

  /// Before there is a line of 10 s, it shows in ways that took less than no time.
  @Test func aClockThatStepsSoonIsNoticed() {
    var rig = ClockRig(seed: 2, there: 1e6, back: 1e6)
    rig.run(seconds: 2)
    rig.offset -= 500 * Self.millisecond
    rig.run(seconds: 1)
    #expect(abs(rig.error) < 2 * Self.millisecond)
    rig.run(seconds: 3)
    #expect(abs(rig.error) < 300_000)
  }

  @Test func sleepIsNoticedAtTheFirstAnswer() {
    var rig = ClockRig(seed: 4, there: 1e6, back: 1e6)
    rig.run(seconds: 5)
    // The member's clock stood still.
    rig.offset += 600 * ClockRig.second
    rig.pause(seconds: 2.5)
    rig.run(seconds: 0.2)
    #expect(rig.clock.restarts == 1)
    #expect(abs(rig.error) < 5 * Self.millisecond)
  }

  @Test func aPauseWithoutAnswersLosesNothing() {
    var rig = ClockRig(seed: 5, there: 5e6, back: 5e6)
    rig.run(seconds: 30)
    rig.pause(seconds: 5)
    #expect(abs(rig.error) < 150_000)
    rig.run(seconds: 1)
    #expect(abs(rig.error) < 150_000 && rig.clock.restarts == 0)
  }

  /// Another access point, with a longer way.
  @Test func aLongerWayIsTakenUp() {
    var rig = ClockRig(seed: 6, there: 5e5, back: 5e5)
    rig.run(seconds: 30)
    #expect(rig.clock.halfWidth < 500_000)
    rig.base = 6 * Self.millisecond
    rig.run(seconds: 7)
    #expect(rig.clock.halfWidth > 5 * Self.millisecond)
    #expect(abs(rig.error) < 200_000)
  }

  /// One direction that is full for some seconds is just that.
  @Test func aQueueInOneDirectionIsRiddenOut() {
    var rig = ClockRig(seed: 7, there: 5e5, back: 5e5)
    rig.run(seconds: 20)
    rig.there = 80e6
    rig.run(seconds: 10)
    #expect(abs(rig.error) < 150_000 && rig.clock.restarts == 0)
  }

  @Test func oneWrongStampDoesNoHarm() {
    for place in [5.0, 15] {
      var rig = ClockRig(seed: 8, there: 1e6, back: 1e6)
      rig.run(seconds: place)
      let (t1, far) = (rig.now - 50_000_000, 10 * Self.millisecond)
      rig.clock.add(t1: t1, t2: rig.room(t1) - far, t3: rig.room(t1) - far + 1000, t4: t1 + far)
      rig.run(seconds: 3)
      #expect(abs(rig.error) < 200_000 && rig.clock.restarts == 0, "after \(place) s")
    }
  }

  /// A clock that is being set runs off by hundreds of millionths for some seconds.
  @Test func aClockThatIsBeingSetIsFollowed() {
    var rig = ClockRig(seed: 9, there: 3e5, back: 3e5)
    rig.run(seconds: 40)
    let pace = rig.rate
    func change(_ rate: Double) {
      // The offset goes on from where it is.
      rig.offset += Int64(Double(rig.now - ClockRig.start) * (rig.rate - rate))
      rig.rate = rate
    }
    change(pace + 400e-6)
    var worst: Int64 = 0
    for _ in 0..<100 {
      rig.run(seconds: 0.1)
      worst = max(worst, abs(rig.error))
    }
    change(pace)
    for _ in 0..<100 {
      rig.run(seconds: 0.1)
      worst = max(worst, abs(rig.error))
    }
    #expect(worst < 2 * Self.millisecond)
    rig.run(seconds: 30)
    #expect(abs(rig.error) < 100_000)
  }

  @Test func aWrongRememberedRateIsCorrected() {
    var rig = ClockRig(seed: 10, there: 1e6, back: 1e6)
    rig.clock = RoomClock(rate: rig.rate + 70e-6)
    rig.run(seconds: 60)
    #expect(abs(rig.error) < 100_000)
    #expect(abs(rig.clock.rate - rig.rate) < 3e-6)
    #expect(RoomClock(rate: .nan).rate == 0 && RoomClock(rate: 7).rate == 0)
  }

  @Test func liesAboutTimesAreHarmless() {
    var rig = ClockRig(seed: 11, there: 1e6, back: 1e6)
    rig.run(seconds: 12)
    let before = rig.error
    let now = rig.now
    for (t1, t2, t3, t4) in [
      (now, 0, 0, now - 1), (now, 10, 9, now + 10), (now, 0, .max, now + 10), (now, .min, .max, now + 10),
      (now, 5, 6, now + 3_000_000_000), (now, 1000, 9_000_000, now + 10), (-5, 0, 0, 5), (.max, 0, 0, .max),
    ] as [(Int64, Int64, Int64, Int64)] {
      rig.clock.add(t1: t1, t2: t2, t3: t3, t4: t4)
      #expect(rig.error == before)
    }
    for step in 1...50 as ClosedRange<Int64> {
      let (t1, t2) = (now + step * 1000, (step % 3) << 61)
      rig.clock.add(t1: t1, t2: t2, t3: t2, t4: t1 + 500)
      _ = rig.clock.room(local: .max)
      _ = rig.clock.local(room: .max)
    }
  }
}
