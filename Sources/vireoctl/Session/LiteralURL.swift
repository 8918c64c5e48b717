import Glibc
import NIOCore
import Network
import UPnP

/// A URL of the user's, with an address in the place of a host's name.
enum LiteralURL {
  /// Looks a name up, which may take a while; nil for anything but `http`, and for a name without an address.
  static func of(_ url: String) -> String? {
    if CallbackURL(url) != nil { return url }
    guard url.lowercased().hasPrefix("http://") else { return nil }
    let rest = url.dropFirst(7)
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let parts = rest[..<end].split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), !parts[0].isEmpty,
      let port = parts.count == 2 ? Int(parts[1]) : 80, (1...65535).contains(port),
      let found = try? SocketAddress.makeAddressResolvingHost(String(parts[0]), port: port),
      let address = IPAddress(found)
    else { return nil }
    return "http://\(address.urlHost):\(port)\(rest[end...])"
  }
}
