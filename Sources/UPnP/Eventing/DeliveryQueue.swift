import NIOCore

/// Which subscriber's message may start when: a bounded number at a time, and nobody waits for those that
/// don't answer.
struct DeliveryQueue: Sendable {
  private struct Running: Sendable {
    var sid: SID
    var deadline: NIODeadline
    var stalls: NIODeadline
    /// From here on it may be given up for others that wait.
    var yields: NIODeadline
    var isStalled = false
  }

  private let limits: EventLimits
  /// Those whose last delivery was quick; they go first.
  private var prompt = CircularBuffer<SID>()
  private var slow = CircularBuffer<SID>()
  private var running: [Int: Running] = [:]
  /// Tokens in the order of their start, some of them over already: first the quick ones, then the stalled.
  private var starting = CircularBuffer<Int>()
  private var stalled = CircularBuffer<Int>()
  private var stalledCount = 0
  private var large: LargeDeliveries
  private var lastToken = 0

  init(limits: EventLimits) {
    self.limits = limits
    large = LargeDeliveries(limit: limits.largeDeliveries)
  }

  /// Deliveries that have begun and aren't over.
  var runningCount: Int { running.count }

  mutating func enqueue(_ sid: SID, isSlow: Bool) {
    if isSlow { slow.append(sid) } else { prompt.append(sid) }
  }

  /// The next subscriber to serve; nil when none waits, or enough deliveries are on their way.
  mutating func next() -> SID? {
    guard running.count - min(stalledCount, limits.stalledDeliveries) < limits.parallelDeliveries else {
      return nil
    }
    return prompt.popFirst() ?? large.next() ?? slow.popFirst()
  }

  /// Begins a delivery of `bytes` and returns its token; nil when the message is large and has to wait: then it is
  /// returned by ``next()`` again.
  mutating func start(_ sid: SID, to address: IPAddress, bytes: Int, now: NIODeadline) -> Int? {
    let isLarge = bytes > limits.largeBytes
    guard !isLarge || large.isFree(address) else {
      large.putOff(sid, address)
      return nil
    }
    lastToken += 1
    let entry = Running(
      sid: sid, deadline: now + .seconds(Int64(limits.deliverySeconds)),
      stalls: now + .milliseconds(Int64(limits.stallMilliseconds)),
      yields: now + .seconds(Int64(limits.crowdedSeconds)))
    running[lastToken] = entry
    starting.append(lastToken)
    if isLarge { large.start(.init(token: lastToken, address: address, yields: entry.yields)) }
    return lastToken
  }

  /// Looks anew at all who wait to be sent something large.
  mutating func retryLarge() { prompt.append(contentsOf: large.takeWaiting()) }

  /// `sid` is gone.
  mutating func forget(_ sid: SID) { large.forget(sid) }

  /// Ends a delivery; nil when it was over before, otherwise whether it was slow.
  mutating func end(_ token: Int) -> Bool? {
    guard let entry = running.removeValue(forKey: token) else { return nil }
    if entry.isStalled { stalledCount -= 1 }
    large.end(token)
    dropFinished()
    return entry.isStalled
  }

  /// Looks at the clock: returns the deliveries to give up. They still have to be ended.
  mutating func tick(now: NIODeadline) -> [(token: Int, sid: SID)] {
    while let token = starting.first {
      guard let entry = running[token] else {
        starting.removeFirst()
        continue
      }
      guard entry.stalls <= now else { break }
      starting.removeFirst()
      running[token]?.isStalled = true
      stalledCount += 1
      stalled.append(token)
    }
    var expired: [(token: Int, sid: SID)] = []
    var excess = self.excess
    for token in stalled {
      guard let entry = running[token] else { continue }
      guard entry.deadline <= now || excess > 0 && entry.yields <= now else { break }
      expired.append((token, entry.sid))
      excess -= 1
    }
    for entry in large.inTheWay where entry.yields <= now {
      guard !expired.contains(where: { $0.token == entry.token }), let sid = running[entry.token]?.sid
      else { continue }
      expired.append((entry.token, sid))
    }
    return expired
  }

  /// When to look at the clock again; nil while nothing is on its way.
  var nextWake: NIODeadline? {
    let stalling = starting.first.flatMap { running[$0]?.stalls }
    let isCrowded = excess > 0
    let expiring = stalled.first.flatMap { running[$0] }.map {
      isCrowded ? min($0.yields, $0.deadline) : $0.deadline
    }
    return [stalling, expiring, large.inTheWay.map(\.yields).min()].compactMap { $0 }.min()
  }

  /// How many stalled deliveries stand in the way of others.
  private var excess: Int {
    prompt.isEmpty && slow.isEmpty ? 0 : stalledCount - limits.stalledDeliveries
  }

  private mutating func dropFinished() {
    while let token = starting.first, running[token] == nil { starting.removeFirst() }
    while let token = stalled.first, running[token] == nil { stalled.removeFirst() }
  }
}
