import CoreMetrics
import Synchronization

/// The value of a counter or a gauge. Lock-free.
final class NumberCell: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler {
  /// The bits of a Double, which is exact for whole numbers up to 2⁵³.
  private let bits = Atomic<UInt64>(0)

  var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

  func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
  func set(_ value: Int64) { set(Double(value)) }
  func record(_ value: Double) { set(value) }
  func record(_ value: Int64) { set(Double(value)) }
  func increment(by amount: Int64) { increment(by: Double(amount)) }
  func decrement(by amount: Double) { increment(by: -amount) }
  func reset() { set(0.0) }

  func increment(by amount: Double) {
    var old = bits.load(ordering: .relaxed)
    while true {
      let new = (Double(bitPattern: old) + amount).bitPattern
      let (done, now) = bits.compareExchange(expected: old, desired: new, ordering: .relaxed)
      if done { return }
      old = now
    }
  }
}

/// A histogram: the count of values, their sum, and the count in each bucket.
///
/// The lock is held for a few instructions, and contended only while the metrics are read.
final class DistributionCell: TimerHandler, RecorderHandler {
  /// Upper bounds of the buckets of a duration, in nanoseconds: 50 µs to 100 ms.
  static let durations: [Double] = [
    50e3, 100e3, 250e3, 500e3, 1e6, 2.5e6, 5e6, 10e6, 25e6, 100e6,
  ]

  struct Values: Sendable, Equatable {
    /// The count in each bucket, not cumulative; there is one more bucket than there are bounds.
    var classes: [Int]
    var sum = 0.0
  }

  let bounds: [Double]
  private let storage: Mutex<Values>

  var values: Values { storage.withLock { $0 } }

  init(bounds: [Double]) {
    self.bounds = bounds
    storage = Mutex(Values(classes: [Int](repeating: 0, count: bounds.count + 1)))
  }

  func recordNanoseconds(_ duration: Int64) { record(Double(duration)) }
  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    // NaN would spoil the sum permanently.
    guard value.isFinite else { return }
    let index = bounds.firstIndex { value <= $0 } ?? bounds.count
    storage.withLock {
      $0.classes[index] += 1
      $0.sum += value
    }
  }
}
