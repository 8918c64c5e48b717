import ControlPoint
import Glibc
import NIOCore
import Network
import UPnP

extension ServiceAddress {
  /// Takes a URL of the user's apart: `http`, and an address or a name that has one. Looks names up, which may take a while.
  init?(url: String) {
    if let literal = CallbackURL(url) {
      self.init(address: literal.address, port: literal.port, target: literal.target)
      return
    }
    guard url.lowercased().hasPrefix("http://") else { return nil }
    let rest = url.dropFirst(7)
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let parts = rest[..<end].split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), !parts[0].isEmpty,
      let port = parts.count == 2 ? Int(parts[1]) : 80, (1...65535).contains(port),
      let found = try? SocketAddress.makeAddressResolvingHost(String(parts[0]), port: port),
      let address = IPAddress(found)
    else { return nil }
    let target = rest[end...].prefix { $0 != "#" }
    self.init(address: address, port: port, target: target.hasPrefix("/") ? String(target) : "/\(target)")
  }
}
