import NIOCore

/// Limits and times of subscriptions to other devices' services (UPnP Device Architecture, "Eventing").
package struct SubscriptionLimits: Sendable, Hashable {
  /// Services that are subscribed to at the same time.
  package var services = 64
  /// Readers of one service at the same time.
  package var readers = 64
  /// The longest body of an event message, in bytes.
  package var bodyBytes = 256 * 1024
  /// Event messages that are kept because the answer to the SUBSCRIBE hasn't come yet, and their bytes together.
  package var earlyEvents = 16
  package var earlyBytes = 256 * 1024
  package var earlyTime = TimeAmount.seconds(5)
  /// The seconds to ask for. A longer grant is renewed as if it were this long, so that a device that forgets is noticed.
  package var seconds = 1800
  /// A shorter grant is treated as this long, in seconds.
  package var minimumSeconds = 10
  /// The time for a SUBSCRIBE.
  package var subscribeTime = TimeAmount.seconds(5)
  /// The time for an UNSUBSCRIBE.
  package var unsubscribeTime = TimeAmount.seconds(3)
  /// The time for the first event message after the answer to a SUBSCRIBE.
  package var initialEventTime = TimeAmount.seconds(30)
  /// The longest pause before the next try, in seconds; the first is 1 s.
  package var longestPause: Int64 = 60
  /// A subscription that has lasted this long was a success.
  package var steadyTime = TimeAmount.seconds(60)

  package init() {}
}
