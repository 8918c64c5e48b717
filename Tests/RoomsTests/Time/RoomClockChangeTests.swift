import SeededRandom
import Testing

@testable import Rooms

/// Networks that turn bad, or are bad every now and then.
@Suite struct RoomClockChangeTests {
  struct Change: Sendable, CustomTestStringConvertible {
    /// Seconds on a quiet wire before.
    var quiet: Double
    /// Mean delays afterwards, in nanoseconds.
    var there: Double
    var back: Double
    /// The largest errors allowed from then on: 95 of 100, in microseconds and in millionths.
    var limit: Int64
    var rateLimit: Double
    var testDescription: String { "\(quiet) s quiet, then \(there / 1e6) and \(back / 1e6) ms" }
  }

  /// A wire: one end wakes up later than the other.
  static func quietRig(seed: UInt64, rate: Double) -> ClockRig {
    var rig = ClockRig(seed: seed, there: 3e4, back: 1e5)
    (rig.base, rig.rate) = (15_000, rate)
    return rig
  }

  /// Both ways grow longer by the same, and are held up.
  @Test(
    arguments: [
      Change(quiet: 1, there: 5e6, back: 5e6, limit: 250, rateLimit: 15),
      Change(quiet: 5, there: 5e6, back: 5e6, limit: 250, rateLimit: 15),
      Change(quiet: 20, there: 5e6, back: 5e6, limit: 250, rateLimit: 15),
      Change(quiet: 1, there: 2e6, back: 20e6, limit: 400, rateLimit: 15),
      Change(quiet: 5, there: 2e6, back: 20e6, limit: 400, rateLimit: 15),
      Change(quiet: 20, there: 2e6, back: 20e6, limit: 400, rateLimit: 15),
    ], [0, 50e-6, -50e-6])
  func aNetworkThatTurnsBadIsNoticed(_ change: Change, rate: Double) {
    var (errors, rates, untrue): ([Int64], [Int64], Int) = ([], [], 0)
    for seed in 1...2 as ClosedRange<UInt64> {
      var rig = Self.quietRig(seed: seed, rate: rate)
      rig.run(seconds: change.quiet)
      rig.base += 300_000
      (rig.there, rig.back, rig.loss) = (change.there, change.back, 0.01)
      for _ in 0..<300 {
        rig.run(seconds: 0.2)
        errors.append(rig.error)
        rates.append(Int64((rig.clock.rate - rate) * 1e9))
        if abs(rig.error) > rig.clock.halfWidth { untrue += 1 }
      }
      #expect(rig.clock.restarts == 0)
    }
    #expect(p95(errors) < change.limit * 1000, "median \(median(errors))")
    #expect(Double(p95(rates)) < change.rateLimit * 1000, "median \(median(rates))")
    #expect(untrue * 20 < errors.count)
  }

  /// Wi-Fi: some good seconds, some bad ones. Held up by a queue, or a longer way as well.
  @Test(arguments: [0, 300_000] as [Int64], [(5e6, 5e6), (2e6, 20e6)])
  func aNetworkThatIsBadNowAndThenDoesLittleHarm(_ rise: Int64, _ bad: (Double, Double)) {
    var (errors, rates, untrue): ([Int64], [Int64], Int) = ([], [], 0)
    for seed in 1...2 as ClosedRange<UInt64> {
      var rig = Self.quietRig(seed: seed, rate: 30e-6)
      for turn in 0..<24 {
        let isBad = turn % 2 == 1
        (rig.there, rig.back) = isBad ? bad : (5e4, 1e5)
        rig.base = isBad ? 200_000 + rise : 200_000
        for _ in 0..<15 {
          rig.run(seconds: 0.2)
          guard turn > 0 else { continue }
          errors.append(rig.error)
          rates.append(Int64((rig.clock.rate - rig.rate) * 1e9))
          if abs(rig.error) > rig.clock.halfWidth { untrue += 1 }
        }
      }
      #expect(rig.clock.restarts == 0)
    }
    #expect(p95(errors) < 40_000)
    #expect(p95(rates) < 10_000)
    #expect(untrue * 20 < errors.count)
  }
}
