/// Which media servers the addresses of tracks lead to, as far as that was seen in this run. A pure value, and small.
///
/// Some servers give their tracks another port than their description, so that only a track that a server has listed tells.
public struct ServerPlaces: Sendable, Hashable {
  /// How many places are remembered.
  public static let most = 64

  private var servers: [String: String] = [:]
  /// The one that was seen last is the last.
  private var order: [String] = []

  public init() {}

  /// A server has listed a track there.
  public mutating func learn(_ authority: String, of server: String) {
    if servers.updateValue(server, forKey: authority) == server, order.last == authority { return }
    order.removeAll { $0 == authority }
    order.append(authority)
    if order.count > Self.most { servers[order.removeFirst()] = nil }
  }

  /// The server that was seen there last.
  public func server(at authority: String) -> String? { servers[authority] }
}
