import HTTP

/// A SUBSCRIBE or UNSUBSCRIBE to a service of somebody else's device (UPnP Device Architecture, "Eventing").
/// ``SubscriptionRequest`` reads the same. What comes from the device, a SID, has no character that could end a line.
public enum SubscriptionCall: Sendable, Hashable {
  /// A new subscription; `callback` is the URL that the events are to be sent to.
  case subscribe(callback: String, seconds: Int)
  case renew(sid: String, seconds: Int)
  case unsubscribe(sid: String)

  public var method: String {
    if case .unsubscribe = self { "UNSUBSCRIBE" } else { "SUBSCRIBE" }
  }

  /// The header fields of the request, besides those that every request has; there is no body.
  public var fields: [HTTPField] {
    switch self {
    case .subscribe(let callback, let seconds):
      [HTTPField("CALLBACK", "<\(callback)>"), HTTPField("NT", "upnp:event"), Self.timeout(seconds)]
    case .renew(let sid, let seconds): [HTTPField("SID", sid), Self.timeout(seconds)]
    case .unsubscribe(let sid): [HTTPField("SID", sid)]
    }
  }

  private static func timeout(_ seconds: Int) -> HTTPField { HTTPField("TIMEOUT", "Second-\(seconds)") }
}
