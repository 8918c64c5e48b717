import HTTP
import UPnP

/// Who asks, and how.
public struct APIContext: Sendable {
  public var head: RequestHead
  public var peer: Peer
  /// For answers of the handler's own (``Answer``); others needn't know it.
  public var id: RequestID

  public init(head: RequestHead, peer: Peer, id: RequestID) {
    self.head = head
    self.peer = peer
    self.id = id
  }

  /// The program's name, where it gives one.
  public var agent: String? { head.fields.first("user-agent") }

  /// Who asks, as for an action of UPnP.
  var action: ActionContext {
    ActionContext(remoteAddress: peer.remote, userAgent: String((agent ?? "").prefix(200)))
  }
}
