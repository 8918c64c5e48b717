/// The room time, learnt from questions and answers. Pure; all times are nanoseconds.
///
/// What travels is only ever held up, never early. So the earliest moments of *each direction* count, not the best round
/// trip: there is one line below what the way there took, another below the way back, both of one slope (how much faster
/// the host's clock runs). The slope is the likeliest one, if delays are spread exponentially, and the offset lies midway
/// between the lines. If the shortest delays of the two directions differ, half of that difference stays unseen.
public struct RoomClock: Sendable {
  private struct Sample {
    /// By the local clock: when the question went, when the answer came.
    var sent: Int64
    var received: Int64
    /// Room time less local time, too large by the delay.
    var there: Int64
    /// Local time less room time, too large by the delay.
    var back: Int64
  }

  /// What stands now: room − local = offset + rate × (local − reference).
  private struct Line {
    var reference: Int64
    var offset: Int64
    var rate: Double
    /// The shortest delays there and back, if both ways are alike.
    var there: Int64
    var back: Int64

    func offset(at local: Int64) -> Int64 { offset &+ Int64(Double(local &- reference) * rate) }

    /// How much longer a sample took than the shortest ones, there and back.
    func excess(_ sample: Sample) -> (there: Int64, back: Int64) {
      (
        sample.there &- offset(at: sample.sent) &- there,
        sample.back &+ offset(at: sample.received) &- back
      )
    }
  }

  private static let second: Int64 = 1_000_000_000
  private static let window = 30 * second
  private static let mostSamples = 400
  /// No clock shows more: a century, and sums of two don't overflow.
  private static let latest: Int64 = 1 << 62
  /// Longer round trips aren't worth having.
  private static let longest = 2 * second
  /// Stamps are off by so much at most; a round trip shorter than this below nothing is a lie, or a clock has stepped.
  private static let inexact: Int64 = 100_000
  /// Clocks that are being set run off by up to 500 millionths.
  private static let mostRate = 1000e-6

  private var samples: [Sample] = []
  /// Too early by the line: they count if enough of them come in a row.
  private var suspects: [Sample] = []
  private var line: Line?
  /// Crystals are within ±30 millionths of each other, mostly; one that is known stays within ±3.
  private var prior: SlopePrior
  private var estimates: [Int64] = []
  private var answers = 0
  private var firstAnswer: Int64 = 0
  /// How often a clock was found stepped, and all was learnt anew.
  public private(set) var restarts = 0

  /// - Parameter rate: how much faster the host's clock ran when it was last known, as a fraction.
  public init(rate: Double? = nil) {
    let known = rate.flatMap { abs($0) <= Self.mostRate ? $0 : nil }
    prior = SlopePrior(slope: known ?? 0, spread: known == nil ? 30e-6 : 3e-6)
  }

  // MARK: What is known

  public var isKnown: Bool { line != nil }

  /// Whether the estimate is good enough to begin to play: it has stopped moving, or there won't be a better one soon.
  public var isSettled: Bool {
    guard answers >= 20, let last = samples.last, let least = estimates.min(), let most = estimates.max()
    else { return false }
    return (estimates.count >= 5 && most &- least <= 500_000) || last.received &- firstAnswer >= Self.second
  }

  /// The room time when the local clock shows `local`; `local` itself while nothing is known.
  public func room(local: Int64) -> Int64 {
    guard let line else { return local }
    return local &+ line.offset(at: local)
  }

  /// What the local clock shows at the room time `room`; `room` itself while nothing is known.
  public func local(room: Int64) -> Int64 {
    guard let line else { return room }
    let near = room &- line.offset
    return near &- Int64(Double(near &- line.reference) * line.rate / (1 + line.rate))
  }

  /// How much faster the host's clock runs than the local one, as a fraction.
  public var rate: Double { line?.rate ?? prior.slope }

  /// Whether ``rate`` has been measured for 10 s, and is worth being remembered.
  public var isRateKnown: Bool { span >= 10 * Self.second }

  /// By how much the room time may be wrong: half the shortest way there and back.
  public var halfWidth: Int64 {
    guard let line else { return 0 }
    return max(0, line.there / 2 &+ line.back / 2)
  }

  private var span: Int64 {
    guard let first = samples.first, let last = samples.last else { return 0 }
    return last.received &- first.received
  }

  // MARK: Learning

  /// One exchange.
  ///
  /// - Parameters:
  ///   - t1: local time at which the question went.
  ///   - t2: room time at which it came.
  ///   - t3: room time at which the answer went.
  ///   - t4: local time at which that came.
  public mutating func add(t1: Int64, t2: Int64, t3: Int64, t4: Int64) {
    guard [t1, t2, t3, t4].allSatisfy((0...Self.latest).contains) else { return }
    let (whole, held) = (t4 - t1, t3 - t2)
    guard (0...Self.longest).contains(whole), (0...Self.longest).contains(held),
      whole - held >= -Self.inexact
    else { return }
    // An answer that was overtaken was held up more than the other: it says nothing.
    if let last = suspects.last ?? samples.last, t1 <= last.sent || t4 <= last.received { return }
    let sample = Sample(sent: t1, received: t4, there: t2 - t1, back: t4 - t3)
    guard isBelievable(sample) else { return }
    if answers == 0 { firstAnswer = t4 }
    answers = min(answers + 1, 1000)
    samples.append(sample)
    let stale = samples.firstIndex { t4 - $0.sent <= Self.window } ?? 0
    samples.removeFirst(max(stale, samples.count - Self.mostSamples))
    fit()
    if let line, line.there &+ line.back < -2 * Self.inexact { shorten() }
    leaveOldWay()
  }

  /// Nothing comes too early by 2 ms unless a clock was stepped, or a machine slept. Then all begins anew with the third
  /// such answer in a row; behind 2 s without answers, with the first one.
  private mutating func isBelievable(_ sample: Sample) -> Bool {
    guard let line, let last = samples.last else { return true }
    let isInDoubt = sample.received - last.received > 2 * Self.second
    let excess = line.excess(sample)
    guard min(excess.there, excess.back) < -2_000_000, isInDoubt || span >= 10 * Self.second else {
      suspects = []
      return true
    }
    suspects.append(sample)
    guard suspects.count >= 3 || isInDoubt else { return false }
    samples = suspects.dropLast()
    beginAnew()
    return true
  }

  private mutating func beginAnew() {
    (suspects, estimates, answers) = ([], [], 0)
    restarts += 1
  }

  /// The shortest way there and back took less than no time: the clocks don't follow one line, one of them is being set.
  /// What is old is left out until the rest does.
  private mutating func shorten() {
    beginAnew()
    while samples.count > 1, let line, line.there &+ line.back < -2 * Self.inexact {
      samples.removeFirst((samples.count + 1) / 2)
      fit()
    }
  }

  /// If all of the last 5 s took longer in both directions than before, it goes by another way now (another access point):
  /// the old one says nothing of it.
  private mutating func leaveOldWay() {
    guard let line, let last = samples.last, span >= 10 * Self.second else { return }
    let recent = samples.suffix(while: { last.received - $0.received <= 5 * Self.second })
    guard recent.count >= 20, recent.allSatisfy({ line.excess($0).there > 1_000_000 }),
      recent.allSatisfy({ line.excess($0).back > 1_000_000 })
    else { return }
    samples = Array(recent)
    fit()
  }

  private mutating func fit() {
    guard let first = samples.first, let last = samples.last else { return }
    let (now, base) = (last.received, first.there)
    let there = Envelope(
      samples.map { .init(x: Double($0.sent &- now), y: Double($0.there &- base)) }, near: rate)
    let back = Envelope(
      samples.map { .init(x: Double($0.received &- now), y: Double($0.back &+ base)) }, near: -rate)
    let prior = prior
    let slope = SlopePrior.slope(most: Self.mostRate) { slope in
      there.pull(slope: slope) - back.pull(slope: -slope) + prior.pull(slope: slope)
    }
    if let line, span >= Self.window / 2 { self.prior.learn(slope, elapsed: now &- line.reference) }
    let (shortest, shortestBack) = (there.height(slope: slope), back.height(slope: -slope))
    let middle = (shortest - shortestBack) / 2
    line = Line(
      reference: now, offset: base &+ Int64(middle), rate: slope, there: Int64(shortest - middle),
      back: Int64(shortestBack + middle))
    estimates.append(base &+ Int64(middle))
    if estimates.count > 5 { estimates.removeFirst() }
  }
}
