import SeededRandom

@testable import Rooms

/// Two clocks and a network between them. Times are nanoseconds.
struct ClockRig {
  static let second: Int64 = 1_000_000_000
  static let start: Int64 = 1000 * second

  var clock: RoomClock
  var random: SeededRandom
  /// How much faster the host's clock runs.
  var rate: Double
  /// Host less member at ``start``.
  var offset: Int64 = 5_000_000 * second
  /// The shortest way, each way.
  var base: Int64 = 300_000
  /// Mean delay beyond the shortest, in nanoseconds.
  var there = 0.0
  var back = 0.0
  /// How many of the exchanges are lost.
  var loss = 0.0
  var now = ClockRig.start
  private var asked = 0
  private var onTheWay: [(t1: Int64, t2: Int64, t3: Int64, t4: Int64)] = []

  init(seed: UInt64, there: Double, back: Double, knowsRate: Bool = false) {
    random = SeededRandom(seed: seed)
    rate = Double.random(in: -60e-6...80e-6, using: &random)
    (self.there, self.back) = (there, back)
    clock = RoomClock(rate: knowsRate ? rate + Double.random(in: -3e-6...3e-6, using: &random) : nil)
  }

  /// What the host's clock shows.
  func room(_ local: Int64) -> Int64 { local + offset + Int64(Double(local - Self.start) * rate) }

  /// By how much the estimate is wrong now.
  var error: Int64 { clock.room(local: now) - room(now) }

  private mutating func delay(_ mean: Double) -> Int64 {
    base + Int64(-mean * logarithm(Double.random(in: 1e-9...1, using: &random)))
  }

  /// Asks as a member does until so many seconds have gone.
  mutating func run(seconds: Double) {
    let end = now + Int64(seconds * 1e9)
    while now < end {
      let arrival = now + delay(there)
      let answer = arrival + 20_000
      let exchange = (now, room(arrival), room(answer), answer + delay(back))
      if loss == 0 || Double.random(in: 0..<1, using: &random) >= loss { onTheWay.append(exchange) }
      asked += 1
      now += asked < 16 ? 20_000_000 : 100_000_000
      let come = onTheWay.filter { $0.t4 <= now }.sorted { $0.t4 < $1.t4 }
      for next in come { clock.add(t1: next.t1, t2: next.t2, t3: next.t3, t4: next.t4) }
      onTheWay.removeAll { $0.t4 <= now }
    }
  }

  /// Nothing is asked for so long.
  mutating func pause(seconds: Double) {
    onTheWay = []
    now += Int64(seconds * 1e9)
  }
}

/// The size that 95 of 100 don't exceed.
func p95(_ errors: [Int64]) -> Int64 {
  let sizes = errors.map { abs($0) }.sorted()
  return sizes.isEmpty ? .max : sizes[(sizes.count - 1) * 95 / 100]
}

func median(_ errors: [Int64]) -> Int64 {
  let sizes = errors.map { abs($0) }.sorted()
  return sizes.isEmpty ? .max : sizes[sizes.count / 2]
}
