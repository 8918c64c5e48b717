import NIOCore
import UPnP

/// A location of a device, and what is known of it.
struct KnownLocation: Sendable, Hashable {
  /// How much later than it says an announcement ends: the next one may be on its way.
  static let grace = TimeAmount.seconds(5)
  /// When to ask again for a description that couldn't be read: soon after the first failure, since a network that has just
  /// come up may not carry all yet, and later after the next, and after all others.
  static let retries = [TimeAmount.seconds(2), .seconds(60), .minutes(5)]

  let location: DeviceLocation
  /// How long an announcement is valid at least and at most, in seconds; also one that doesn't say how long.
  private let ages: ClosedRange<Int>
  private(set) var bootID: Int?
  private(set) var configID: Int?
  private var age = TimeAmount.seconds(0)
  /// When the device was last heard to be there.
  private(set) var heard: NIODeadline
  private(set) var expires: NIODeadline
  private(set) var failures = 0
  /// No description is asked for until then.
  private(set) var retryAt: NIODeadline?

  init(_ location: DeviceLocation, _ notice: SSDPNotice, ages: ClosedRange<Int>, now: NIODeadline) {
    self.location = location
    self.ages = ages
    heard = now
    expires = now
    hear(notice, now: now)
  }

  mutating func hear(_ notice: SSDPNotice, now: NIODeadline) {
    if let bootID, let new = notice.bootID, bootID != new { (failures, retryAt) = (0, nil) }
    bootID = notice.bootID ?? bootID
    configID = notice.configID ?? configID
    age = .seconds(Int64(min(max(notice.maxAge ?? .max, ages.lowerBound), ages.upperBound)))
    heard = now
    expires = now + age + Self.grace
  }

  /// The device has announced its next BOOTID: it doesn't restart.
  mutating func willBoot(as next: Int) { bootID = next }

  /// Expires in a moment, unless it is heard of before.
  mutating func doubt(now: NIODeadline) { expires = min(expires, now + Self.grace) }

  /// Expires now, unless it answers.
  mutating func mustAnswer(now: NIODeadline) { expires = min(expires, now) }

  mutating func answered(now: NIODeadline) {
    (failures, retryAt) = (0, nil)
    expires = max(expires, now + age + Self.grace)
  }

  mutating func failed(now: NIODeadline) {
    failures += 1
    retryAt = now + Self.retries[min(failures, Self.retries.count) - 1]
  }

  func mayBeAsked(now: NIODeadline) -> Bool { retryAt.map { $0 <= now } ?? true }
}
