/// So many at once, and one more each time that a while has passed.
struct Allowance: Sendable, Hashable {
  /// At least 1.
  var most: Int
  /// Above zero.
  var every: Duration
}

/// How much of an allowance is used (token bucket, as one number: the time when all of it is back).
struct AllowanceUse: Sendable, Hashable {
  private(set) var isFull = Duration.zero

  /// How many are left.
  func left(of allowance: Allowance, at now: Duration) -> Int {
    guard isFull > now else { return allowance.most }
    return max(0, allowance.most - Int(((isFull - now) / allowance.every).rounded(.up)))
  }

  /// How long it takes until there is one; zero when there is.
  func wait(for allowance: Allowance, at now: Duration) -> Duration {
    max(.zero, isFull - now - allowance.every * (allowance.most - 1))
  }

  mutating func take(of allowance: Allowance, at now: Duration) {
    isFull = max(isFull, now) + allowance.every
  }
}
