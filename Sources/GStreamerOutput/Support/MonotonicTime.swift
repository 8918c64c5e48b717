import CGStreamer
import Glibc
import Threads

/// An instant of the monotonic clock.
struct MonotonicTime: Comparable {
  var nanoseconds: guint64

  static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: guint64(time.tv_sec) * 1_000_000_000 + guint64(time.tv_nsec))
  }

  static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
    MonotonicTime(nanoseconds: time.nanoseconds &+ duration.wholeNanoseconds)
  }

  /// Nanoseconds from `earlier` to this instant; 0 when it is later.
  func since(_ earlier: MonotonicTime) -> guint64 {
    nanoseconds > earlier.nanoseconds ? nanoseconds - earlier.nanoseconds : 0
  }

  /// As ``since(_:)``.
  func passed(since earlier: MonotonicTime) -> Duration {
    .nanoseconds(Int64(clamping: since(earlier)))
  }
}

extension Duration {
  /// Nanoseconds, 0 for negative ones, bounded at about 290 years.
  var wholeNanoseconds: guint64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return guint64(min(seconds, 9_000_000_000)) * 1_000_000_000 + guint64(attoseconds / 1_000_000_000)
  }
}

extension SharedState {
  /// As `wait(_:)`, but until `deadline`; nil once that has passed.
  func wait<Result>(until deadline: MonotonicTime, _ body: (inout Value) -> Result?) -> Result? {
    wait(untilNanoseconds: UInt64(deadline.nanoseconds), body)
  }
}
