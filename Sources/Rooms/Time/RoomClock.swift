/// The room time, learnt from questions and answers. Pure; all times are nanoseconds.
///
/// What travels is only ever held up, never early. So the earliest moments of *each direction* count, not the best round
/// trip: there is one line below what the way there took, another below the way back, both of one slope (how much faster
/// the host's clock runs). The slope is the one that brings the two lines closest together, and the offset lies midway.
/// If the shortest delays of the two directions differ, half of that difference stays unseen.
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

  /// The line that stands now: room − local = offset + rate × (local − reference).
  private struct Line {
    var reference: Int64
    var offset: Int64
    var rate: Double
    /// Heights of the two envelopes above the line: the shortest delays.
    var there: Int64
    var back: Int64

    func offset(at local: Int64) -> Int64 { offset &+ Int64(Double(local &- reference) * rate) }
  }

  private static let window: Int64 = 30_000_000_000
  /// No clock shows more: a century, and sums of two don't overflow.
  private static let latest: Int64 = 1 << 62
  private static let mostSamples = 400
  /// Longer round trips aren't worth having.
  private static let longest: Int64 = 2_000_000_000
  /// Stamps are off by so much at most; a round trip that is shorter than this below nothing is a lie.
  private static let inexact: Int64 = 100_000
  /// Before this, the rate is the one known before: a short time says more about delays than about clocks.
  private static let shortest: Int64 = 3_000_000_000
  private static let mostRate = 200e-6

  private var samples: [Sample] = []
  /// Below the line by more than any delay explains; they count if a third one in a row comes.
  private var suspects: [Sample] = []
  private var line: Line?
  private var knownRate: Double
  private var estimates: [Int64] = []
  private var answers = 0
  private var firstAnswer: Int64 = 0

  /// - Parameter rate: how much faster the host's clock ran when it was last known, as a fraction.
  public init(rate: Double? = nil) {
    knownRate = min(max(rate ?? 0, -Self.mostRate), Self.mostRate)
  }

  // MARK: What is known

  public var isKnown: Bool { line != nil }

  /// Whether the estimate is good enough to begin to play: it has stopped moving, or there won't be a better one soon.
  public var isSettled: Bool {
    guard answers >= 20, let last = samples.last, let least = estimates.min(), let most = estimates.max()
    else { return false }
    return (estimates.count >= 5 && most &- least <= 500_000) || last.received &- firstAnswer >= 1_000_000_000
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
  public var rate: Double { line?.rate ?? knownRate }

  /// By how much the room time may be wrong: half the shortest way there and back.
  public var halfWidth: Int64 {
    guard let line else { return 0 }
    return max(0, line.there / 2 &+ line.back / 2)
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
    guard (0...Self.longest).contains(whole), (0...Self.longest).contains(held), whole - held >= -Self.inexact
    else { return }
    if let last = samples.last, t1 <= last.sent || t4 <= last.received { return }
    if samples.isEmpty { firstAnswer = t4 }
    answers = min(answers + 1, 1000)
    samples.append(Sample(sent: t1, received: t4, there: t2 &- t1, back: t4 &- t3))
    let oldest = t4 &- Self.window
    let stale = samples.firstIndex { $0.sent >= oldest } ?? 0
    samples.removeFirst(max(stale, samples.count - Self.mostSamples))
    fit()
  }

  private mutating func fit() {
    guard let first = samples.first, let last = samples.last else { return }
    let (now, base) = (last.received, first.there)
    let there = samples.map { sample in
      LowerHull.Point(x: Double(sample.sent &- now), y: Double(sample.there &- base))
    }
    let back = samples.map { sample in
      LowerHull.Point(x: Double(sample.received &- now), y: Double(sample.back &+ base))
    }
    let isFree = now &- first.received >= Self.shortest
    let (below, above) = (LowerHull(there), LowerHull(back))
    let rate = isFree ? Self.rate(below, above) : knownRate
    if isFree { knownRate = rate }
    let (f, r) = (below.touch(slope: rate).height, above.touch(slope: -rate).height)
    let middle = (f - r) / 2
    line = Line(
      reference: now, offset: base &+ Int64(middle), rate: rate, there: Int64(f - middle),
      back: Int64(r + middle))
    estimates.append(base &+ Int64(middle))
    if estimates.count > 5 { estimates.removeFirst() }
  }

  /// The slope by which the two lines come closest to each other. Their distance is a concave function of the slope, whose
  /// derivative falls; where that is 0 over a range, the middle of it.
  private static func rate(_ there: LowerHull, _ back: LowerHull) -> Double {
    func edge(_ isBelow: (Double) -> Bool) -> Double {
      var (low, high) = (-mostRate, mostRate)
      for _ in 0..<32 {
        let middle = (low + high) / 2
        let rise = back.touch(slope: -middle).x - there.touch(slope: middle).x
        if isBelow(rise) { low = middle } else { high = middle }
      }
      return (low + high) / 2
    }
    return (edge { $0 > 0 } + edge { $0 >= 0 }) / 2
  }
}
