import UPnP

extension ChangedValues {
  /// Takes the values of a service: its own properties, and those of one instance inside its LastChange.
  public init(_ values: [ServiceValue], instance: UInt32 = 0) {
    self.init(
      properties: values.compactMap { value in
        let variable = value.variable
        guard variable.instance ?? instance == instance else { return nil }
        return EventedValue(name: variable.name, channel: variable.channel, value: value.value)
      })
  }
}

extension EventSubscriptions {
  /// The changes of a service's variables, as `read` understands them; like ``changes(of:)`` otherwise.
  ///
  /// - Parameter instance: for services with instances (AVTransport, RenderingControl).
  public nonisolated func changes<Values: Sendable>(
    of service: ServiceLocation, instance: UInt32 = 0, as read: @escaping @Sendable (ChangedValues) -> Values
  ) -> TypedChanges<Values> {
    TypedChanges(changes: changes(of: service)) { read(ChangedValues($0, instance: instance)) }
  }
}
