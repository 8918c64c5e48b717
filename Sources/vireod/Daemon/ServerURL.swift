import Network
import Synchronization
import UPnP

/// The base URL of this server for URLs in state variables.
///
/// Device descriptions use the address that the control point has reached instead.
final class ServerURL: Sendable {
  private struct Place: Sendable {
    var port: Int?
    var host: String?
    var ipv4: String?
  }

  private let place = Mutex(Place())

  /// The URL: `http://192.0.2.7:49494`; empty while there is no network.
  var text: String {
    place.withLock { place in
      guard let host = place.host, let port = place.port else { return "" }
      return "http://\(host):\(port)"
    }
  }

  /// The IPv4 address of this host; nil while it has none.
  var ipv4: String? { place.withLock { $0.ipv4 } }

  func set(port: Int) { place.withLock { $0.port = port } }

  /// Takes the address from `interfaces`. Returns true when ``text`` has changed.
  func set(_ interfaces: [NetworkInterface]) -> Bool {
    let addresses = interfaces.flatMap(\.addresses).map(\.address)
    // IPv4 first, since not every control point has IPv6.
    let ipv4 = addresses.first { !$0.isIPv6 }?.urlHost
    let host = ipv4 ?? addresses.first?.urlHost
    return place.withLock { place in
      place.ipv4 = ipv4
      defer { place.host = host }
      return place.host != host
    }
  }
}
