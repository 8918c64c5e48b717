import NIOCore

/// Allows bursts up to a capacity, and a steady rate after that.
struct TokenBucket: Sendable {
  let capacity: Double
  /// Tokens per second.
  let rate: Double
  private var tokens: Double
  private(set) var updated: NIODeadline

  init(capacity: Double, rate: Double, now: NIODeadline) {
    self.capacity = capacity
    self.rate = rate
    tokens = capacity
    updated = now
  }

  private func level(now: NIODeadline) -> Double {
    let seconds = Double(max((now - updated).nanoseconds, 0)) / 1e9
    return min(capacity, tokens + seconds * rate)
  }

  func isFull(now: NIODeadline) -> Bool { level(now: now) >= capacity }

  func has(_ cost: Double, now: NIODeadline) -> Bool { level(now: now) >= min(cost, capacity) }

  /// Returns the first moment at which `cost` tokens are available, if none are taken meanwhile.
  func time(of cost: Double, now: NIODeadline) -> NIODeadline {
    let missing = min(cost, capacity) - level(now: now)
    return missing > 0 ? now + .nanoseconds(Int64((missing / rate * 1e9).rounded(.up))) : now
  }

  /// Takes `cost` tokens, or all that are left.
  mutating func take(_ cost: Double, now: NIODeadline) {
    tokens = max(level(now: now) - cost, 0)
    updated = now
  }
}

/// One token bucket per source, and one for all sources together; the number of buckets is limited.
struct RateLimiter<Source: Hashable & Sendable>: Sendable {
  struct Limits: Sendable {
    var capacity: Double
    /// Per second.
    var rate: Double
  }

  private let perSource: Limits
  private let maximumSources: Int
  private var total: TokenBucket
  private var sources: [Source: TokenBucket] = [:]

  init(perSource: Limits, total: Limits, maximumSources: Int, now: NIODeadline) {
    self.perSource = perSource
    self.maximumSources = maximumSources
    self.total = TokenBucket(capacity: total.capacity, rate: total.rate, now: now)
  }

  var count: Int { sources.count }

  /// Takes `cost` from the source's bucket and from the common one; false, with nothing taken, when either has too few
  /// tokens.
  mutating func admit(_ source: Source, cost: Double, now: NIODeadline) -> Bool {
    var bucket =
      sources[source] ?? TokenBucket(capacity: perSource.capacity, rate: perSource.rate, now: now)
    guard bucket.has(cost, now: now), total.has(cost, now: now) else { return false }
    bucket.take(cost, now: now)
    total.take(cost, now: now)
    if sources[source] == nil, sources.count >= maximumSources { makeRoom(now: now) }
    sources[source] = bucket
    return true
  }

  /// Removes full buckets, which are equivalent to missing ones; if there are none, removes the least recently used
  /// one.
  private mutating func makeRoom(now: NIODeadline) {
    sources = sources.filter { !$0.value.isFull(now: now) }
    if sources.count >= maximumSources,
      let oldest = sources.min(by: { $0.value.updated < $1.value.updated })
    {
      sources[oldest.key] = nil
    }
  }
}
