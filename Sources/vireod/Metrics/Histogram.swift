/// A distribution of durations: the count in each bucket, and their sum.
struct Histogram: Sendable {
  /// Upper bounds of the buckets, in nanoseconds: 50 µs to 100 ms.
  static let bounds: [Int64] = [
    50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 100_000_000,
  ]

  /// The count in each bucket, not cumulative; there is one more bucket than there are bounds.
  private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
  private var sumNanoseconds = 0.0

  var sumSeconds: Double { sumNanoseconds / 1e9 }

  mutating func record(nanoseconds: Int64) {
    counts[Self.bounds.firstIndex { nanoseconds <= $0 } ?? Self.bounds.count] += 1
    sumNanoseconds += Double(nanoseconds)
  }
}
