import Logging
import Network

/// Settings of a device server.
public struct DeviceServerConfiguration: Sendable, Hashable {
  /// The port and SERVER of devices that name none; access and limits hold for each port.
  public var host = HostConfiguration()
  /// How many routers announcements may cross, 1…255.
  public var ttl = 2
  /// Seconds that an announcement is valid; at least 60.
  public var maxAge = 1800
  /// Names or patterns (`eth*`) of the interfaces to use; if empty, every one that leads to a local network.
  public var interfaces: [String] = []

  public init() {}

  var discovery: DiscoveryConfiguration {
    DiscoveryConfiguration(ttl: ttl, maxAge: maxAge, ipv6: host.ipv6)
  }
}

/// The loggers of the parts of a device server.
public struct DeviceServerLoggers: Sendable {
  public var http: Logger
  /// For subscriptions and events.
  public var events: Logger
  public var discovery: Logger
  public var network: Logger

  public init(http: Logger, events: Logger, discovery: Logger, network: Logger) {
    self.http = http
    self.events = events
    self.discovery = discovery
    self.network = network
  }

  /// Uses one logger for all parts.
  public init(_ logger: Logger) {
    self.init(http: logger, events: logger, discovery: logger, network: logger)
  }
}
