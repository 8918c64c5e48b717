import HTTP
import Text

/// What the head of an event message says (NOTIFY; UPnP Device Architecture, "Eventing"). ``Notifier`` writes the same.
public struct EventHead: Sendable, Hashable {
  /// The identifier of the subscription, as written.
  public var sid: String
  /// SEQ; nil when the message has none.
  public var sequence: UInt32?

  public init(sid: String, sequence: UInt32?) {
    self.sid = sid
    self.sequence = sequence
  }

  /// Reads the header fields of a NOTIFY.
  ///
  /// - Throws: 400 without NT or NTS, and for a SEQ that is no number; 412 for other values of them, and without a usable
  ///   SID.
  public init(fields: HeaderFields) throws(HTTPError) {
    guard let type = fields.first("nt"), let subtype = fields.first("nts") else {
      throw HTTPError(status: .badRequest)
    }
    guard type.trimmingASCIISpace == "upnp:event", subtype.trimmingASCIISpace == "upnp:propchange",
      let sid = fields.first("sid").flatMap(SubscriptionReply.sid)
    else { throw HTTPError(status: .preconditionFailed) }
    self.sid = sid
    guard let text = fields.first("seq") else { return }
    guard let number = UInt32(wire: text) else { throw HTTPError(status: .badRequest) }
    sequence = number
  }
}
