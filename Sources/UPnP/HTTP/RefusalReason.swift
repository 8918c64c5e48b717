/// The reason of a refusal, for counting and logging; the set is fixed, so metrics and logs stay small.
public enum RefusalReason: String, Sendable, Hashable, CaseIterable {
  case foreignAddress, unservedAddress, foreignHost
  case connections, connectionsPerAddress, evicted, unfinishedBytes, unsentResponseBytes
  case malformed, tooLarge, timeout, notFound, method, mediaType
  case subscriptions, subscriptionsPerAddress, callback

  /// True for refusals of subscriptions, rather than requests.
  var concernsEvents: Bool {
    switch self {
    case .subscriptions, .subscriptionsPerAddress, .callback: true
    default: false
    }
  }

  /// The log message: what happened, and what to do about it.
  var advice: String {
    switch self {
    case .foreignAddress:
      "connection refused: its address is on no network that is served; add the network to [network] allow if it should be"
    case .unservedAddress:
      "connection refused: the address that it came to isn't served; name its interface in [network] interfaces if it should be"
    case .foreignHost:
      "request refused: its Host header names none of our addresses or names; a browser may have been lured here"
    case .connections: "connection refused: too many are open; raise [limits] connections if they are wanted"
    case .connectionsPerAddress:
      "connection refused: this address has too many open; raise [limits] connections-per-address if they are wanted"
    case .evicted:
      "an inactive connection was closed to make room for a new one; raise [limits] connections or connections-per-address if all are wanted"
    case .unfinishedBytes: "request refused: unfinished requests hold too much memory"
    case .unsentResponseBytes:
      "connection closed: too many bytes of responses wait for those who asked for them"
    case .malformed: "request refused: not understood"
    case .tooLarge: "request refused: too large"
    case .timeout: "connection closed: the peer was too slow"
    case .notFound: "request refused: nothing is served there"
    case .method: "request refused: that method isn't served there"
    case .mediaType: "request refused: its content type isn't XML"
    case .subscriptions: "subscription refused: too many; raise [limits] subscriptions if they are wanted"
    case .subscriptionsPerAddress:
      "subscription refused: this address has too many; raise [limits] subscriptions-per-address if they are wanted"
    case .callback: "subscription refused: its CALLBACK leads to no address on the subscriber's own network"
    }
  }
}
