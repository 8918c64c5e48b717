import SCPD

/// A service's identity, in the terms of the UPnP Device Architecture.
public struct ServiceIdentity: Sendable, Hashable {
  /// The domain in service and device types, with hyphens for dots: `schemas-upnp-org`.
  public let domain: String
  /// The domain in service ids: `upnp-org`.
  public let idDomain: String
  /// The service's name, for example `AVTransport`.
  public let name: String
  /// The highest version offered; all lower ones are accepted too.
  public let version: Int

  public init(domain: String, idDomain: String, name: String, version: Int) {
    self.domain = domain
    self.idDomain = idDomain
    self.name = name
    self.version = version
  }

  /// The service type, for example `urn:schemas-upnp-org:service:AVTransport:1`.
  public var type: String { type(version: version) }
  public func type(version: Int) -> String { "urn:\(domain):service:\(name):\(version)" }
  /// The service id, for example `urn:upnp-org:serviceId:AVTransport`.
  public var id: String { "urn:\(idDomain):serviceId:\(name)" }
}

/// How a service sends its events (UPnP Device Architecture, "Eventing").
public enum EventStyle: Sendable, Hashable {
  /// Each evented variable is a separate property.
  case properties
  /// One property, `LastChange`, holds an XML document with the changed variables inside `InstanceID val="0"`.
  ///
  /// `namespace` is the document's namespace (`urn:schemas-upnp-org:metadata-1-0/AVT/`).
  /// `form` is what the document of another vendor's service has in other places.
  case lastChange(namespace: String, form: LastChangeForm = LastChangeForm())
}

/// What differs in the `LastChange` document of another vendor's service.
public struct LastChangeForm: Sendable, Hashable {
  /// A second namespace, for variables whose names begin with its prefix and a colon; nil for none.
  public var prefix: String?
  public var prefixNamespace: String
  /// The element around the variables, whose `val` is 0.
  public var element: String

  public init(prefix: String? = nil, prefixNamespace: String = "", element: String = "InstanceID") {
    self.prefix = prefix
    self.prefixNamespace = prefixNamespace
    self.element = element
  }
}

/// One variable as subscribers see it.
public struct EventedValue: Sendable, Hashable {
  public var name: String
  /// The `channel` attribute inside a LastChange (`Master`); nil for variables without channels.
  public var channel: String?
  /// The value as on the wire, not yet escaped.
  public var value: String

  public init(name: String, channel: String? = nil, value: String) {
    self.name = name
    self.channel = channel
    self.value = value
  }
}

/// One service of a UPnP device, as the device stack sees it.
///
/// All methods are called on the host's event loop, one at a time; they must not block.
public protocol ServiceProvider: Sendable {
  var identity: ServiceIdentity { get }
  var description: ServiceDescription { get }
  /// The SCPD as served: everything before and after the `configId` attribute in `<scpd …>`.
  var scpd: (head: String, tail: String) { get }
  var eventing: EventStyle { get }
  /// The variable that isn't moderated; nil for none.
  var leading: LeadingVariable? { get }
  /// True when every event has all variables, and not only those that have changed.
  var sendsWholeEvents: Bool { get }

  /// Performs the action of `call` with its checked arguments, and stores the results in `call`.
  func perform(_ call: inout ActionCall) throws(UPnPError)

  /// Whether the action at `action` waits for something, such as the disk: then ``performLater(_:)`` performs it.
  func waits(_ action: Int) -> Bool

  /// As ``perform(_:)``, for actions that ``waits(_:)`` names. Others may be performed meanwhile.
  nonisolated(nonsending) func performLater(_ call: ActionCall) async throws(UPnPError) -> ActionCall

  /// Returns the allowed value that a differently spelled `text` must mean; nil when there is none.
  func meaning(of text: String, for variable: StateVariable) -> String?

  /// Returns the error for a value that the description of `variable` doesn't allow.
  ///
  /// It is the error that the service's specification names (718 for another InstanceID, 712 for a play mode); nil for
  /// the general 600 and 601.
  func refusal(of variable: StateVariable) -> UPnPError?

  /// Returns all evented variables with their current values, always in the same order.
  ///
  /// The set of variables normally stays the same; if it differs, all values are sent again. For `.lastChange`, these
  /// are the contents of the document, not `LastChange` itself.
  func eventedValues() -> [EventedValue]

  /// Returns the same as ``eventedValues()``, but with the value in `held` of each variable that is held.
  ///
  /// A service that has moderated variables (``StateVariable/moderation``) doesn't compute those that are held.
  func eventedValues(holding held: HeldValues) -> [EventedValue]

  /// Returns the time until ``eventedValues()`` changes with no change in the player, such as the next second of a
  /// position or the end of a delay; nil when the values stay the same.
  ///
  /// The host asks after each call of ``eventedValues()``, and only while there are subscribers; it reads the values
  /// again after that time. So no timer runs without a subscriber.
  func nextChange() -> Duration?
}

extension ServiceProvider {
  public func waits(_ action: Int) -> Bool { false }
  nonisolated(nonsending) public func performLater(_ call: ActionCall) async throws(UPnPError) -> ActionCall {
    throw .invalidAction
  }
  public func meaning(of text: String, for variable: StateVariable) -> String? { nil }
  public func refusal(of variable: StateVariable) -> UPnPError? { nil }
  public func eventedValues(holding held: HeldValues) -> [EventedValue] { eventedValues() }
  public func nextChange() -> Duration? { nil }
  public var leading: LeadingVariable? { nil }
  public var sendsWholeEvents: Bool { false }
}
