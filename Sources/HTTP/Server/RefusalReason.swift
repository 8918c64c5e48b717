/// The reason of a refusal, for counting and logging; each is a constant, so metrics and logs stay small.
public struct RefusalReason: Sendable, Hashable {
  /// Its name in metrics.
  public let name: String
  /// The log message: what happened, and what to do about it.
  let advice: String

  public init(_ name: String, _ advice: String) {
    self.name = name
    self.advice = advice
  }

  public static func == (one: RefusalReason, other: RefusalReason) -> Bool { one.name == other.name }

  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension RefusalReason {
  public static let foreignAddress = RefusalReason(
    "foreignAddress",
    "connection refused: its address is on no network that is served; add the network to [network] allow if it should be"
  )
  public static let unservedAddress = RefusalReason(
    "unservedAddress",
    "connection refused: the address that it came to isn't served; name its interface in [network] interfaces if it should be"
  )
  public static let foreignHost = RefusalReason(
    "foreignHost",
    "request refused: its Host header names none of our addresses or names; a browser may have been lured here"
  )
  public static let connections = RefusalReason(
    "connections",
    "connection refused: too many are open; raise [limits] connections if they are wanted")
  public static let connectionsPerAddress = RefusalReason(
    "connectionsPerAddress",
    "connection refused: this address has too many open; raise [limits] connections-per-address if they are wanted"
  )
  public static let evicted = RefusalReason(
    "evicted",
    "an inactive connection was closed to make room for a new one; raise [limits] connections or connections-per-address if all are wanted"
  )
  public static let unfinishedBytes = RefusalReason(
    "unfinishedBytes",
    "request refused: unfinished requests hold too much memory")
  public static let unsentResponseBytes = RefusalReason(
    "unsentResponseBytes",
    "connection closed: too many bytes of responses wait for those who asked for them")
  public static let malformed = RefusalReason(
    "malformed",
    "request refused: not understood")
  public static let tooLarge = RefusalReason(
    "tooLarge",
    "request refused: too large")
  public static let timeout = RefusalReason(
    "timeout",
    "connection closed: the peer was too slow")
  public static let notFound = RefusalReason(
    "notFound",
    "request refused: nothing is served there")
  public static let method = RefusalReason(
    "method",
    "request refused: that method isn't served there")

  /// The reasons of the server itself.
  public static let ofServer: [RefusalReason] = [
    .foreignAddress, .unservedAddress, .foreignHost, .connections, .connectionsPerAddress, .evicted,
    .unfinishedBytes, .unsentResponseBytes, .malformed, .tooLarge, .timeout, .notFound, .method,
  ]
}
