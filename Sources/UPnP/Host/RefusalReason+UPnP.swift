import HTTP

/// What UPnP refuses besides what the HTTP server does.
extension RefusalReason {
  public static let mediaType = RefusalReason(
    "mediaType",
    "request refused: its content type isn't XML")
  public static let subscriptions = RefusalReason(
    "subscriptions",
    "subscription refused: too many; raise [limits] subscriptions if they are wanted")
  public static let subscriptionsPerAddress = RefusalReason(
    "subscriptionsPerAddress",
    "subscription refused: this address has too many; raise [limits] subscriptions-per-address if they are wanted"
  )
  public static let callback = RefusalReason(
    "callback",
    "subscription refused: its CALLBACK leads to no address on the subscriber's own network")

  /// All reasons, for metrics.
  public static let all: [RefusalReason] =
    ofServer + [.mediaType, .subscriptions, .subscriptionsPerAddress, .callback]
}
