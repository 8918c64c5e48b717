import UPnP

/// The changed variables of a service, as the generated code reads them from an event message.
public struct ChangedValues: Sendable {
  private let values: [EventedValue]

  /// Takes the variables of a service that sends each as a property of its own.
  public init(properties: [EventedValue]) { values = properties }

  /// Takes the variables of an event message, and for one instance those inside its `LastChange`.
  ///
  /// - Throws: ``ActionFailure/malformed`` or ``ActionFailure/tooLarge`` for a `LastChange` that can't be read.
  public init(_ properties: [EventedValue], instance: UInt32 = 0) throws(ActionFailure) {
    guard let text = properties.last(where: { $0.name == "LastChange" })?.value else {
      values = properties
      return
    }
    do {
      values = try LastChange.read(text).filter { $0.id == instance }.flatMap(\.values)
    } catch {
      throw ActionFailure(error)
    }
  }

  /// The last value of the variable `name`; nil when it isn't in the message, or isn't such a value.
  public subscript<Value: WireValue>(name: String) -> Value? {
    values.last { $0.name == name }.flatMap { Value(wire: $0.value) }
  }

  /// The values of the variable `name` by channel; what has no channel is for `Master`.
  public func channels<Channel: WireValue & Hashable, Value: WireValue>(
    _ name: String
  ) -> [Channel: Value] {
    var found: [Channel: Value] = [:]
    for value in values where value.name == name {
      guard let channel = Channel(wire: value.channel ?? "Master"), let value = Value(wire: value.value)
      else {
        continue
      }
      found[channel] = value
    }
    return found
  }
}

/// What an event message of a service says, typed. Generated for each service.
public protocol ServiceChanges: Sendable, Hashable {
  /// Reads the variables of an event message; what can't be read as its type counts as unchanged.
  init(_ changed: ChangedValues)
}

extension ServiceChanges {
  /// Reads the variables of an event message.
  ///
  /// - Parameter instance: for services with instances (AVTransport, RenderingControl).
  /// - Throws: ``ActionFailure/malformed`` or ``ActionFailure/tooLarge`` for a `LastChange` that can't be read.
  public init(_ properties: [EventedValue], instance: UInt32 = 0) throws(ActionFailure) {
    self.init(try ChangedValues(properties, instance: instance))
  }
}

/// The typed actions of a service. Generated for each service.
public protocol ServiceProxy: Sendable {
  associatedtype Changes: ServiceChanges
  /// The type and id of the service, with the highest version that the proxy knows; it serves for older and newer ones.
  static var identity: ServiceIdentity { get }
  var service: RemoteService { get }
  init(_ service: RemoteService)
}

extension ServiceProxy {
  /// Makes a proxy for the service of this type that `device` has, in whatever version; nil if it has none.
  public init?(_ device: FoundDevice, through controlPoint: ControlPoint) {
    let identity = Self.identity
    guard let location = device.service("urn:\(identity.domain):service:\(identity.name)") else { return nil }
    self.init(controlPoint.service(location))
  }

  /// The changes of the service's variables; the service isn't subscribed to until somebody reads.
  ///
  /// - Parameter instance: for services with instances (AVTransport, RenderingControl).
  public func changes(instance: UInt32 = 0) -> TypedChanges<Changes> {
    TypedChanges(changes: service.changes()) { Changes(ChangedValues($0, instance: instance)) }
  }
}
