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
  }

  private let place = Mutex(Place())

  /// The URL: `http://192.0.2.7:49494`; empty while there is no network.
  var text: String {
    place.withLock { place in
      guard let host = place.host, let port = place.port else { return "" }
      return "http://\(host):\(port)"
    }
  }

  func set(port: Int) { place.withLock { $0.port = port } }

  /// Takes the address from `interfaces`. Returns true when ``text`` has changed.
  func set(_ interfaces: [NetworkInterface]) -> Bool {
    let addresses = interfaces.flatMap(\.addresses).map(\.address)
    // IPv4 first, since not every control point has IPv6.
    let host = (addresses.first { !$0.isIPv6 } ?? addresses.first)?.urlHost
    return place.withLock { place in
      defer { place.host = host }
      return place.host != host
    }
  }
}
