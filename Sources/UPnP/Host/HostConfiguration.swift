import HTTP
import Network

/// Settings of the device host: address, access and limits.
public struct HostConfiguration: Sendable, Hashable {
  public static let defaultPort = 49494

  /// TCP port, 0…65535; 0 takes any free one. If the default port is taken, any free one is used instead.
  public var port = HostConfiguration.defaultPort
  /// Listen on IPv6 as well.
  public var ipv6 = true
  /// Listen at the IPv4 addresses of the current interfaces only; see `HTTPConfiguration.atOwnAddresses`.
  var atOwnAddresses = false
  /// The SERVER header, three tokens: `Linux/6.1 UPnP/1.1 Vireo/1.0`.
  public var serverToken = HostConfiguration.serverToken(product: "Vireo", version: "0.1")
  /// Further header fields of all responses.
  public var httpFields: [HTTPField] = []
  /// Networks whose hosts may connect, in addition to the local ones.
  public var allow: [IPNetwork] = []
  /// Names that a Host header may carry, in addition to the machine's own.
  public var hostnames: [String] = []
  public var http = HTTPLimits()
  public var events = EventLimits()

  public init() {}

  /// The settings of the HTTP server.
  var server: HTTPConfiguration {
    var server = HTTPConfiguration()
    server.port = port
    server.mayUseAnyPort = port == Self.defaultPort
    server.ipv6 = ipv6
    server.atOwnAddresses = atOwnAddresses
    server.fields = [HTTPField("EXT", ""), HTTPField("SERVER", serverToken)] + httpFields
    server.allow = allow
    server.hostnames = hostnames
    server.limits = http
    server.furtherMethods = ["M-POST", "SUBSCRIBE", "UNSUBSCRIBE", "NOTIFY", "M-SEARCH"]
    // As other UPnP stacks send it.
    server.foreignHostStatus = [
      "POST": .preconditionFailed, "SUBSCRIBE": .badRequest, "UNSUBSCRIBE": .badRequest,
    ]
    return server
  }

  /// Returns the settings of the host that serves `device`; devices with the same settings share a host.
  func settings(for device: RootDevice) -> HostConfiguration {
    var settings = self
    if let port = device.port { settings.port = port }
    if let serverToken = device.serverToken { settings.serverToken = serverToken }
    settings.httpFields += device.httpFields
    if device.port != nil, device.habits.listensAtOwnAddresses {
      (settings.atOwnAddresses, settings.ipv6) = (true, false)
    }
    return settings
  }

  /// Returns `Linux/6.1 UPnP/1.1 PRODUCT/VERSION`, with the version of the running kernel.
  public static func serverToken(product: String, version: String) -> String {
    "\(SystemName.kernel) UPnP/1.1 \(product)/\(version)"
  }
}
