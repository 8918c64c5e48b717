import HTTP
import Network
import Player
import Text

/// The address of a picture, taken apart.
package struct PictureURL: Sendable, Hashable {
  var isSecure: Bool
  /// A name, or a literal address without brackets.
  var host: String
  var port: Int
  /// Path and query, as they are sent.
  var target: String

  /// - Returns: nil for what is no `http` or `https` address, and for one with credentials.
  init?(_ address: String) {
    guard let text = AddressEscaping.escaped(address, brackets: false), let colon = text.firstIndex(of: ":")
    else { return nil }
    switch text[..<colon].lowercased() {
    case "http": isSecure = false
    case "https": isSecure = true
    default: return nil
    }
    let rest = text[colon...].dropFirst()
    guard rest.hasPrefix("//") else { return nil }
    let hierarchy = rest.dropFirst(2)
    let end = hierarchy.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? hierarchy.endIndex
    guard let authority = Authority(hierarchy[..<end]), Self.isHost(authority.host) else { return nil }
    host = authority.host.lowercased()
    port = authority.port ?? (isSecure ? 443 : 80)
    guard port > 0 else { return nil }
    let path = hierarchy[end...].prefix { $0 != "#" }
    target = path.hasPrefix("/") ? String(path) : "/" + path
  }

  /// The address that `location` names, seen from this one; nil for what is no address of a picture.
  func redirected(to location: String) -> PictureURL? {
    if let url = PictureURL(location) { return url }
    let scheme = isSecure ? "https:" : "http:"
    if location.hasPrefix("//") { return PictureURL(scheme + location) }
    guard !location.isEmpty, !location.includes("://") else { return nil }
    if location.hasPrefix("/") { return PictureURL("\(scheme)//\(authority)\(location)") }
    let path = target.prefix { $0 != "?" }
    let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
    return PictureURL("\(scheme)//\(authority)\(folder)\(location)")
  }

  /// As the HOST field has it.
  var authority: String {
    let host = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? host : "\(host):\(port)"
  }

  var text: String { "\(isSecure ? "https" : "http")://\(authority)\(target)" }

  /// The address that ``host`` is; nil when it is a name.
  var literal: IPAddress? { IPAddress(host) }

  /// What resolvers and header fields can be given.
  private static func isHost(_ host: String) -> Bool {
    host.utf8.count <= 253
      && host.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: ":"):
          true
        default: false
        }
      }
  }
}
