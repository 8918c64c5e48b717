/// How well a ``RoomFeed`` goes: what people and the sender are told of it. Pure; times are nanoseconds of the monotonic
/// clock.
struct FeedMeter: Sendable {
  private static let second: Int64 = 1_000_000_000
  /// Loss is told of so many seconds.
  private static let seconds = 10
  /// The errors that the 95th percentile is made of: 10 s of them.
  private static let mostErrors = 100

  private var errors: [Int64] = []
  private var nextError: Int64 = 0
  /// Frames that were due in each of the last seconds, and how many of them were missing.
  private var due: [Int] = []
  private var missing: [Int] = []
  private var secondBegan: Int64 = 0

  mutating func played(_ frames: Int, missing lost: Int, error: Int64, at now: Int64) {
    if due.isEmpty || now &- secondBegan >= Self.second {
      due.append(0)
      missing.append(0)
      secondBegan = now
      if due.count > Self.seconds {
        due.removeFirst()
        missing.removeFirst()
      }
    }
    due[due.count - 1] += frames
    missing[missing.count - 1] += lost
    guard now >= nextError else { return }
    nextError = now &+ Self.second / 10
    errors.append(abs(error))
    if errors.count > Self.mostErrors { errors.removeFirst() }
    p95 = errors.sorted()[min(errors.count - 1, errors.count * 95 / 100)]
  }

  /// Missing frames in the last seconds, in thousandths.
  var loss: Int {
    let all = due.reduce(0, +)
    return all == 0 ? 0 : missing.reduce(0, +) * 1000 / all
  }

  /// 95 % of the errors are at most so large, in nanoseconds.
  private(set) var p95: Int64 = 0

  mutating func beginAnew() { (errors, p95) = ([], 0) }
}
