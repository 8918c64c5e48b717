import NIOCore
import Network

/// Schedules deliveries: a limited number run at a time, and subscribers that don't answer don't hold up the others.
struct DeliveryQueue: Sendable {
  private struct Running: Sendable {
    var sid: SID
    var deadline: NIODeadline
    var stalls: NIODeadline
    /// From this time on, it may be given up in favour of others that wait.
    var yields: NIODeadline
    var isStalled = false
  }

  private let limits: EventLimits
  /// Subscribers whose last delivery was quick; they go first.
  private var prompt = CircularBuffer<SID>()
  private var slow = CircularBuffer<SID>()
  private var running: [Int: Running] = [:]
  /// Tokens in starting order, some already finished: deliveries that aren't stalled here, stalled ones in `stalled`.
  private var starting = CircularBuffer<Int>()
  private var stalled = CircularBuffer<Int>()
  private var stalledCount = 0
  private var large: LargeDeliveries
  private var lastToken = 0

  init(limits: EventLimits) {
    self.limits = limits
    large = LargeDeliveries(limit: limits.largeDeliveries)
  }

  /// True when the delivery has already taken long.
  func isStalled(_ token: Int) -> Bool { running[token]?.isStalled == true }

  mutating func enqueue(_ sid: SID, isSlow: Bool) {
    if isSlow { slow.append(sid) } else { prompt.append(sid) }
  }

  /// Returns the next subscriber to serve; nil when none waits, or enough deliveries are running.
  mutating func next() -> SID? {
    let inUse = running.count - min(stalledCount, limits.stalledDeliveries)
    guard inUse < limits.parallelDeliveries else { return nil }
    if let sid = prompt.popFirst() ?? large.next() { return sid }
    // Slow subscribers use at most half of the slots, so that the others always find room.
    return inUse < max(1, limits.parallelDeliveries / 2) ? slow.popFirst() : nil
  }

  /// Starts a delivery of `bytes` and returns its token.
  ///
  /// Returns nil when the message is large and has to wait; ``next()`` then returns `sid` again later.
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
      yields: now + .seconds(Int64(limits.stalledSecondsWhenBusy)))
    running[lastToken] = entry
    starting.append(lastToken)
    if isLarge { large.start(.init(token: lastToken, address: address, yields: entry.yields)) }
    return lastToken
  }

  /// Queues all subscribers that wait to be sent a large message again.
  mutating func retryLarge() { prompt.append(contentsOf: large.takeWaiting()) }

  /// Forgets `sid`, whose subscription has ended.
  mutating func forget(_ sid: SID) { large.forget(sid) }

  /// Ends a delivery; returns whether it was slow, or nil when it had already ended.
  mutating func end(_ token: Int) -> Bool? {
    guard let entry = running.removeValue(forKey: token) else { return nil }
    if entry.isStalled { stalledCount -= 1 }
    large.end(token)
    dropFinished()
    return entry.isStalled
  }

  /// Returns the deliveries that have timed out; the caller must still end them.
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
    for entry in large.blockingDelivery where entry.yields <= now {
      guard !expired.contains(where: { $0.token == entry.token }), let sid = running[entry.token]?.sid
      else { continue }
      expired.append((entry.token, sid))
    }
    return expired
  }

  /// When to call ``tick(now:)`` again; nil while no delivery is running.
  var nextWake: NIODeadline? {
    let stalling = starting.first.flatMap { running[$0]?.stalls }
    let isCrowded = excess > 0
    let expiring = stalled.first.flatMap { running[$0] }.map {
      isCrowded ? min($0.yields, $0.deadline) : $0.deadline
    }
    return [stalling, expiring, large.blockingDelivery.map(\.yields).min()].compactMap { $0 }.min()
  }

  /// The number of stalled deliveries that keep others from starting.
  private var excess: Int {
    prompt.isEmpty && slow.isEmpty ? 0 : stalledCount - limits.stalledDeliveries
  }

  private mutating func dropFinished() {
    while let token = starting.first, running[token] == nil { starting.removeFirst() }
    while let token = stalled.first, running[token] == nil { stalled.removeFirst() }
  }
}
