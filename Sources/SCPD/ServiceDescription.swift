/// A service's actions and state variables, as its SCPD lists them.
///
/// Those of our services are generated from `ServiceXML/*.xml` at build time; a control point reads those of other devices.
public struct ServiceDescription: Sendable, Equatable {
  public var actions: [ActionDescription]
  public var variables: [StateVariable]

  public init(actions: [ActionDescription], variables: [StateVariable]) {
    self.actions = actions
    self.variables = variables
  }

  /// The position of the action called `name`; nil when the service has no such action.
  public func actionIndex(named name: String) -> Int? {
    actions.firstIndex { $0.name == name }
  }
}

/// One action, with its arguments in wire order.
public struct ActionDescription: Sendable, Equatable {
  public var name: String
  public var inputs: [ArgumentDescription]
  public var outputs: [ArgumentDescription]
  /// The first version of the service that has this action.
  public var since: Int

  public init(
    name: String, inputs: [ArgumentDescription], outputs: [ArgumentDescription], since: Int = 1
  ) {
    self.name = name
    self.inputs = inputs
    self.outputs = outputs
    self.since = since
  }
}

/// One argument of an action; its type and bounds are those of the related state variable.
public struct ArgumentDescription: Sendable, Equatable {
  public var name: String
  /// Position of the related state variable in ``ServiceDescription/variables``.
  public var variable: Int
  /// The first version of the service that has this argument.
  public var since: Int
  /// What the argument is when a call lacks it or leaves it empty; nil when no call may lack it.
  public var absent: String?

  public init(name: String, variable: Int, since: Int = 1, absent: String? = nil) {
    self.name = name
    self.variable = variable
    self.since = since
    self.absent = absent
  }
}

/// One state variable.
public struct StateVariable: Sendable, Equatable {
  public var name: String
  public var type: ValueType
  public var sendsEvents: Bool
  public var defaultValue: String?
  /// Empty when any string is allowed.
  public var allowedValues: [String]
  /// nil when the type alone bounds the value.
  public var range: AllowedRange?
  /// The first version of the service that has this variable.
  public var since: Int
  /// True for a string that may be too long to build in one go.
  public var isLong: Bool
  /// The shortest time between two events of this variable, after a first event that is immediate; zero for none.
  public var moderation: Duration

  public init(
    name: String, type: ValueType, sendsEvents: Bool, defaultValue: String? = nil,
    allowedValues: [String] = [], range: AllowedRange? = nil, since: Int = 1, isLong: Bool = false,
    moderation: Duration = .zero
  ) {
    self.name = name
    self.type = type
    self.sendsEvents = sendsEvents
    self.defaultValue = defaultValue
    self.allowedValues = allowedValues
    self.range = range
    self.since = since
    self.isLong = isLong
    self.moderation = moderation
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
