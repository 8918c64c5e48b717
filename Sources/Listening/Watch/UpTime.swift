/// How long the machine has run, by two clocks that nobody can set.
public struct UpTime: Sendable, Hashable {
  /// Stands still while the machine sleeps: it measures how long something was heard, and when something is due.
  public var awake: Duration
  /// Goes on while the machine sleeps: dates are counted from it.
  public var sinceBoot: Duration

  public init(awake: Duration, sinceBoot: Duration) {
    self.awake = awake
    self.sinceBoot = sinceBoot
  }

  /// A time of a machine that has never slept.
  public init(_ time: Duration) { self.init(awake: time, sinceBoot: time) }
}

extension Duration {
  /// Whole milliseconds, rounded down; clamped to the range of Int64.
  package var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflows) = seconds.multipliedReportingOverflow(by: 1000)
    if overflows { return seconds < 0 ? .min : .max }
    let (sum, overflowsToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return overflowsToo ? (seconds < 0 ? .min : .max) : sum
  }

  /// Seconds with at most three decimals, as reports tell them.
  var reportedSeconds: Double { Double(milliseconds) / 1000 }
}
