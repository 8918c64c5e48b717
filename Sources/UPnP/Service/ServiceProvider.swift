import SCPD

/// Who a service is, in the terms of the UPnP Device Architecture.
public struct ServiceIdentity: Sendable, Hashable {
  /// Domain in service and device types, dots written as hyphens: `schemas-upnp-org`.
  public let domain: String
  /// Domain in service ids: `upnp-org`.
  public let idDomain: String
  /// `AVTransport`
  public let name: String
  /// The highest version offered; all lower ones are understood as well.
  public let version: Int

  public init(domain: String, idDomain: String, name: String, version: Int) {
    self.domain = domain
    self.idDomain = idDomain
    self.name = name
    self.version = version
  }

  /// `urn:schemas-upnp-org:service:AVTransport:1`
  public var type: String { type(version: version) }
  public func type(version: Int) -> String { "urn:\(domain):service:\(name):\(version)" }
  /// `urn:upnp-org:serviceId:AVTransport`
  public var id: String { "urn:\(idDomain):serviceId:\(name)" }
}

/// How a service tells its changes (UPnP Device Architecture, "Eventing").
public enum EventStyle: Sendable, Hashable {
  /// Every evented variable is a property of its own.
  case properties
  /// One property `LastChange` that holds an XML document of the changed variables, below `InstanceID val="0"`;
  /// `namespace` is the document's (`urn:schemas-upnp-org:metadata-1-0/AVT/`).
  case lastChange(namespace: String)
}

/// One variable as it is told to subscribers.
public struct EventedValue: Sendable, Hashable {
  public var name: String
  /// The `channel` attribute inside a LastChange (`Master`); nil for variables without channels.
  public var channel: String?
  /// Text as on the wire, not yet escaped.
  public var value: String

  public init(name: String, channel: String? = nil, value: String) {
    self.name = name
    self.channel = channel
    self.value = value
  }
}

/// One service of a device, as the device stack sees it.
///
/// All methods are called on the event loop of the host, one at a time; they must not block.
public protocol ServiceProvider: Sendable {
  var identity: ServiceIdentity { get }
  var description: ServiceDescription { get }
  /// The SCPD as served: everything before and after the place of the `configId` attribute in `<scpd …>`.
  var scpd: (head: String, tail: String) { get }
  var eventing: EventStyle { get }
  /// The shortest time between two events to one subscriber, after an immediate first; zero for none.
  var moderation: Duration { get }

  /// Performs the action with the checked arguments in `call` and leaves its results there.
  func perform(_ call: inout ActionCall) throws(UPnPError)

  /// The error for a value that the description of `variable` doesn't allow, when the service's specification
  /// names one (718 for another InstanceID, 712 for a play mode); nil for the general 600 and 601.
  func refusal(of variable: StateVariable) -> UPnPError?

  /// All evented variables with their values now, always the same ones in the same order.
  /// (For `.lastChange`: the content of the document, not `LastChange` itself.)
  func eventedValues() -> [EventedValue]

  /// In how much time ``eventedValues()`` will be others although nothing happens to the player meanwhile (the
  /// next second of a position, the end of a delay); nil when they stay as they are.
  ///
  /// The host asks after each time it has asked for the values, and only while somebody is subscribed; it asks for
  /// the values again when that time is over. So nothing ticks for nobody.
  func nextChange() -> Duration?
}

extension ServiceProvider {
  public func refusal(of variable: StateVariable) -> UPnPError? { nil }
  public func nextChange() -> Duration? { nil }
}
