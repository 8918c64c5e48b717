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
    /// Which ``NetworkSpell`` it belongs to.
    var spell = 0
  }

  /// What stands now: room − local = offset + rate × (local − reference).
  private struct Line {
    var reference: Int64
    var offset: Int64
    var rate: Double
    /// The shortest delays there and back, if both ways are alike.
    var there: Int64
    var back: Int64
    /// By how much it may be wrong.
    var halfWidth: Int64

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
  /// So many answers in a row tell that the network has changed, compared with so many before.
  private static let enough = 5
  private static let mostCompared = 100
  /// A network that changes all the time would cost more with every change.
  private static let mostSpells = 12
  /// Changes of less than this don't matter.
  private static let clear: Int64 = 100_000

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

  /// By how much the room time may be wrong: half the shortest way there and back. If the network was better before, and
  /// that says more: half of what it was then, and what the clocks may have run apart since.
  public var halfWidth: Int64 { line?.halfWidth ?? 0 }

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
    var sample = Sample(sent: t1, received: t4, there: t2 - t1, back: t4 - t3)
    sample.spell = samples.last?.spell ?? 0
    guard isBelievable(sample) else { return }
    if answers == 0 { firstAnswer = t4 }
    answers = min(answers + 1, 1000)
    samples.append(sample)
    let stale = samples.firstIndex { t4 - $0.sent <= Self.window } ?? 0
    samples.removeFirst(max(stale, samples.count - Self.mostSamples))
    noticeChange()
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

  /// If the last answers took clearly longer in both directions than those before, or less long, the network is another.
  private mutating func noticeChange() {
    guard let line, let last = samples.last else { return }
    let spell = samples.suffix { $0.spell == last.spell }
    guard spell.count >= 3 * Self.enough else { return }
    let excess = spell.suffix(Self.mostCompared).map(line.excess)
    let (old, new) = (excess.dropLast(Self.enough), excess.suffix(Self.enough))
    let there = Self.change(from: old.map(\.there), to: new.map(\.there))
    guard there != 0, there == Self.change(from: old.map(\.back), to: new.map(\.back)) else { return }
    let newest = last.spell &+ 1
    for index in samples.indices.suffix(Self.enough) { samples[index].spell = newest }
    samples.removeAll { $0.spell &+ Self.mostSpells <= newest }
  }

  /// 1 if all of `new` lie far above what is usual, −1 if far below, else 0.
  private static func change(from old: [Int64], to new: [Int64]) -> Int {
    let sorted = old.sorted()
    guard let floor = sorted.first, let least = new.min(), let most = new.max() else { return 0 }
    let usual = sorted[sorted.count / 2] &- floor
    if least &- floor > 4 * usual + clear { return 1 }
    return most &- floor < (usual - clear) / 6 ? -1 : 0
  }

  private mutating func fit() {
    guard let first = samples.first, let last = samples.last else { return }
    let (now, base) = (last.received, first.there)
    let slices = samples.split(at: { $0.spell != $1.spell })
    let spells = slices.map { samples in
      NetworkSpell(
        there: Envelope(
          samples.map { .init(x: Double($0.sent &- now), y: Double($0.there &- base)) }, near: rate,
          isPart: slices.count > 1),
        back: Envelope(
          samples.map { .init(x: Double($0.received &- now), y: Double($0.back &+ base)) }, near: -rate,
          isPart: slices.count > 1))
    }
    let fit = SpellFit(spells: spells, prior: prior)
    let slope = fit.slope(most: Self.mostRate)
    if let line, span >= Self.window / 2 { prior.learn(slope, elapsed: now &- line.reference) }
    let middle = fit.offset(slope: slope)
    let shortest = spells.map { $0.there.height(slope: slope) }.min() ?? 0
    let shortestBack = spells.map { $0.back.height(slope: -slope) }.min() ?? 0
    // Each spell answers for its own ways; older ones for how far the line has been drawn out since, too.
    let slopeError = fit.slopeError(slope: slope)
    let halfWidth = spells.map { $0.halfWidth(slope: slope, slopeError: slopeError) }.min() ?? 0
    line = Line(
      reference: now, offset: base &+ Int64(middle), rate: slope, there: Int64(shortest - middle),
      back: Int64(shortestBack + middle), halfWidth: Int64(halfWidth))
    estimates.append(base &+ Int64(middle))
    if estimates.count > 5 { estimates.removeFirst() }
  }
}
