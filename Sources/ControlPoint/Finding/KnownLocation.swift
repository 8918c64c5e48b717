import NIOCore
import UPnP

/// A location of a device, and what is known of it.
struct KnownLocation: Sendable, Hashable {
  /// How long an announcement is valid that doesn't say so, and what is taken at most and at least, in seconds.
  static let defaultAge = 1800
  static let ages = 60...1800
  /// How much later than it says an announcement ends: the next one may be on its way.
  static let grace = TimeAmount.seconds(5)
  /// When to ask again for a description that couldn't be read: after the first failure, and after all others.
  static let firstRetry = TimeAmount.seconds(60)
  static let laterRetry = TimeAmount.minutes(5)

  let location: DeviceLocation
  private(set) var bootID: Int?
  private(set) var configID: Int?
  private var age = TimeAmount.seconds(0)
  /// When the device was last heard to be there.
  private(set) var heard: NIODeadline
  private(set) var expires: NIODeadline
  private(set) var failures = 0
  /// No description is asked for until then.
  private(set) var retryAt: NIODeadline?

  init(_ location: DeviceLocation, _ notice: SSDPNotice, now: NIODeadline) {
    self.location = location
    heard = now
    expires = now
    hear(notice, now: now)
  }

  mutating func hear(_ notice: SSDPNotice, now: NIODeadline) {
    if let bootID, let new = notice.bootID, bootID != new { (failures, retryAt) = (0, nil) }
    bootID = notice.bootID ?? bootID
    configID = notice.configID ?? configID
    let seconds = notice.maxAge ?? Self.defaultAge
    age = .seconds(Int64(min(max(seconds, Self.ages.lowerBound), Self.ages.upperBound)))
    heard = now
    expires = now + age + Self.grace
  }

  /// The device has announced its next BOOTID: it doesn't restart.
  mutating func willBoot(as next: Int) { bootID = next }

  /// Expires in a moment, unless it is heard of before.
  mutating func doubt(now: NIODeadline) { expires = min(expires, now + Self.grace) }

  mutating func answered(now: NIODeadline) {
    (failures, retryAt) = (0, nil)
    expires = max(expires, now + age + Self.grace)
  }

  mutating func failed(now: NIODeadline) {
    failures += 1
    retryAt = now + (failures == 1 ? Self.firstRetry : Self.laterRetry)
  }

  func mayBeAsked(now: NIODeadline) -> Bool { retryAt.map { $0 <= now } ?? true }
}
