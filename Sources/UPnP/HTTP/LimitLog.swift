import Logging
import NIOCore

/// Reports a thing that an attacker can repeat at will: once a minute per reason, with the number of times since.
struct LimitLog {
  private static let pause = TimeAmount.seconds(60)

  private var last: [Refusal: (at: NIODeadline, suppressed: Int)] = [:]

  /// True when `reason` should be written now; `suppressed` tells how many were not since the last time.
  mutating func shouldLog(_ reason: Refusal, now: NIODeadline) -> (suppressed: Int, Bool) {
    guard let entry = last[reason], now - entry.at < Self.pause else {
      let suppressed = last[reason]?.suppressed ?? 0
      last[reason] = (now, 0)
      return (suppressed, true)
    }
    last[reason] = (entry.at, entry.suppressed + 1)
    return (0, false)
  }
}

/// Why something was refused, for counting and logging; a fixed set, so neither can grow.
public enum Refusal: String, Sendable, Hashable, CaseIterable {
  case foreignAddress, unservedAddress, foreignHost
  case connections, connectionsPerAddress, evicted, unfinishedBytes, untakenBytes
  case malformed, tooLarge, timeout, notFound, method, mediaType
  case subscriptions, subscriptionsPerAddress, callback

  /// About subscriptions, not about requests.
  var concernsEvents: Bool {
    switch self {
    case .subscriptions, .subscriptionsPerAddress, .callback: true
    default: false
    }
  }

  /// What happened and what to do about it.
  var advice: String {
    switch self {
    case .foreignAddress:
      "connection refused: its address is on no network that is served; add the network to `allow` if it should be"
    case .unservedAddress:
      "connection refused: the address that it came to isn't served; name its interface in `interfaces` if it should be"
    case .foreignHost:
      "request refused: its Host header names none of our addresses or names; a browser may have been lured here"
    case .connections: "connection refused: too many are open; raise the limit if they are wanted"
    case .connectionsPerAddress:
      "connection refused: this address has too many open; raise the limit if they are wanted"
    case .evicted: "the longest idle connection was closed to make room for a new one"
    case .unfinishedBytes: "request refused: unfinished requests hold too much memory"
    case .untakenBytes: "connection closed: too many bytes of responses wait for those who asked for them"
    case .malformed: "request refused: not understood"
    case .tooLarge: "request refused: too large"
    case .timeout: "connection closed: the peer was too slow"
    case .notFound: "request refused: nothing is served there"
    case .method: "request refused: that method isn't served there"
    case .mediaType: "request refused: its content type isn't XML"
    case .subscriptions: "subscription refused: too many; raise the limit if they are wanted"
    case .subscriptionsPerAddress:
      "subscription refused: this address has too many; raise the limit if they are wanted"
    case .callback: "subscription refused: its CALLBACK leads to no address on the subscriber's own network"
    }
  }
}
