/// The value of one evented variable of somebody else's service, as on the wire.
public struct ServiceValue: Sendable, Hashable {
  /// Which variable it is; the newer of two values of the same variable counts.
  public struct Variable: Sendable, Hashable {
    public var name: String
    /// The channel inside a LastChange (`Master`); nil for a variable without channels.
    public var channel: String?
    /// The instance inside a LastChange; nil for a variable that is a property of its own.
    public var instance: UInt32?

    public init(_ name: String, channel: String? = nil, instance: UInt32? = nil) {
      self.name = name
      self.channel = channel
      self.instance = instance
    }
  }

  public var variable: Variable
  public var value: String

  public init(_ variable: Variable, _ value: String) {
    self.variable = variable
    self.value = value
  }
}
