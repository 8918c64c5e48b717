/// What a service can do: its actions and its state variables, as its SCPD says.
///
/// Built from `ServiceXML/*.xml` when the project is built; nothing reads XML for it at run time.
public struct ServiceDescription: Sendable, Equatable {
  public var actions: [ActionDescription]
  public var variables: [StateVariable]

  public init(actions: [ActionDescription], variables: [StateVariable]) {
    self.actions = actions
    self.variables = variables
  }

  /// The position of the action called `name`; nil when this service has none of that name.
  public func actionIndex(named name: String) -> Int? {
    actions.firstIndex { $0.name == name }
  }
}

/// One action, its arguments in the order they have on the wire.
public struct ActionDescription: Sendable, Equatable {
  public var name: String
  public var inputs: [ArgumentDescription]
  public var outputs: [ArgumentDescription]

  public init(name: String, inputs: [ArgumentDescription], outputs: [ArgumentDescription]) {
    self.name = name
    self.inputs = inputs
    self.outputs = outputs
  }
}

/// One argument of an action; its type and bounds are those of the state variable it is related to.
public struct ArgumentDescription: Sendable, Equatable {
  public var name: String
  /// Position of the related state variable in ``ServiceDescription/variables``.
  public var variable: Int

  public init(name: String, variable: Int) {
    self.name = name
    self.variable = variable
  }
}

/// One state variable.
public struct StateVariable: Sendable, Equatable {
  public var name: String
  public var type: ValueType
  public var sendsEvents: Bool
  public var defaultValue: String?
  /// Empty when any text will do.
  public var allowedValues: [String]
  /// nil when the type alone bounds the value.
  public var range: AllowedRange?

  public init(
    name: String, type: ValueType, sendsEvents: Bool, defaultValue: String? = nil,
    allowedValues: [String] = [], range: AllowedRange? = nil
  ) {
    self.name = name
    self.type = type
    self.sendsEvents = sendsEvents
    self.defaultValue = defaultValue
    self.allowedValues = allowedValues
    self.range = range
  }

  /// True for variables that exist only to give an argument a type.
  public var isArgumentTypeOnly: Bool { name.hasPrefix("A_ARG_TYPE_") }
}

/// The bounds of a number, both inclusive.
public struct AllowedRange: Sendable, Equatable {
  public var minimum: Int64
  public var maximum: Int64
  public var step: Int64?

  public init(minimum: Int64, maximum: Int64, step: Int64? = nil) {
    self.minimum = minimum
    self.maximum = maximum
    self.step = step
  }
}
