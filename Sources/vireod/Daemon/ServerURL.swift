import Synchronization
import UPnP

/// Where this server is, for addresses in state variables; descriptions have those of whoever asks instead.
final class ServerURL: Sendable {
  private struct Place: Sendable {
    var port: Int?
    var host: String?
  }

  private let place = Mutex(Place())

  /// `http://192.0.2.7:49494`; empty while there is no network.
  var text: String {
    place.withLock { place in
      guard let host = place.host, let port = place.port else { return "" }
      return "http://\(host):\(port)"
    }
  }

  func set(port: Int) { place.withLock { $0.port = port } }

  /// True when ``text`` is another one now.
  func set(_ interfaces: [NetworkInterface]) -> Bool {
    let addresses = interfaces.flatMap(\.addresses).map(\.address)
    // Not every control point has IPv6.
    let host = (addresses.first { !$0.isIPv6 } ?? addresses.first)?.urlHost
    return place.withLock { place in
      defer { place.host = host }
      return place.host != host
    }
  }
}
