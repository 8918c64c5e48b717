import Glibc
import Network

/// Settings of the device host: address, access and limits.
public struct HostConfiguration: Sendable, Hashable {
  public static let defaultPort = 49494

  /// TCP port, 0…65535; 0 takes any free one. If the default port is taken, any free one is used instead.
  public var port = HostConfiguration.defaultPort
  /// Listen on IPv6 as well.
  public var ipv6 = true
  /// The SERVER header, three tokens: `Linux/6.1 UPnP/1.1 Vireo/1.0`.
  public var serverToken = HostConfiguration.serverToken(product: "Vireo", version: "0.1")
  /// Networks whose hosts may connect, in addition to the local ones.
  public var allow: [IPNetwork] = []
  /// Names that a Host header may carry, in addition to the machine's own.
  public var hostnames: [String] = []
  public var http = HTTPLimits()
  public var events = EventLimits()

  public init() {}

  /// Returns `Linux/6.1 UPnP/1.1 PRODUCT/VERSION`, with the version of the running kernel.
  public static func serverToken(product: String, version: String) -> String {
    var names = utsname()
    guard uname(&names) == 0 else { return "Linux/0 UPnP/1.1 \(product)/\(version)" }
    let system = text(&names.sysname)
    let release = text(&names.release).prefix { $0.isNumber || $0 == "." }
    return "\(system)/\(release) UPnP/1.1 \(product)/\(version)"
  }

  /// The machine's name without its domain; empty when it has none.
  static func machineName() -> String {
    var names = utsname()
    guard uname(&names) == 0 else { return "" }
    return String(text(&names.nodename).prefix { $0 != "." })
  }

  private static func text<Field>(_ field: inout Field) -> String {
    withUnsafeBytes(of: &field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
