import Network
import UPnP

/// Settings of a ``ControlPoint``.
public struct ControlPointConfiguration: Sendable, Hashable {
  /// Names or patterns (`eth*`) of the interfaces to use; if empty, every one that leads to a local network.
  public var interfaces: [String] = []
  public var ipv6 = true
  /// False when the host has a `NetworkMonitor` already, and passes on what it says: ``ControlPoint/setInterfaces(_:)``.
  public var followsNetwork = true
  /// False when the host has an HTTP server already, with ``ControlPoint/subscriptions`` as one of its responders, and passes
  /// on where it listens.
  public var listensForEvents = true
  /// The TCP port for events; 0 for any free one, and so if it is taken.
  public var eventPort = 0
  /// How many seconds devices may take to respond, 1…5. They spread their responses over this time.
  public var mx = 2
  /// How many routers searches may cross, 1…255.
  public var ttl = 2
  /// How many devices are known at most; others have to wait until one goes.
  public var maximumDevices = 64
  /// How long an announcement is valid at least and at most, in seconds.
  package var ages = 60...1800
  /// How long subscriptions are asked for, in seconds; see ``SubscriptionLimits/seconds``.
  package var eventSeconds = SubscriptionLimits().seconds
  /// The USER-AGENT field, three tokens: `Linux/6.1 UPnP/1.1 Vireo/1.0`.
  public var userAgent = HostConfiguration.serverToken(product: "Vireo", version: "0.1")

  public init() {}

  var selection: InterfaceSelection { InterfaceSelection(names: interfaces, ipv6: ipv6) }
}
