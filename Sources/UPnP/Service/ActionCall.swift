import SCPD

/// Who asked.
public struct ActionContext: Sendable, Hashable {
  public var remoteAddress: IPAddress
  /// The request's User-Agent header, shortened to 200 characters; empty when it had none.
  public var userAgent: String

  public init(remoteAddress: IPAddress, userAgent: String = "") {
    self.remoteAddress = remoteAddress
    self.userAgent = userAgent
  }
}

/// An action on its way: checked arguments in, results out.
///
/// Made by ``ArgumentCoder``, read and filled by the code that is generated from `ServiceXML`.
public struct ActionCall: Sendable {
  /// Position of the action in the service's description.
  public let action: Int
  public let context: ActionContext
  /// Texts of the in arguments in the description's order. Each has passed ``ArgumentCoder``.
  public let inputs: [String]
  /// Texts of the out arguments in the description's order, not yet escaped.
  public private(set) var outputs: [String] = []

  public init(action: Int, context: ActionContext, inputs: [String]) {
    self.action = action
    self.context = context
    self.inputs = inputs
  }

  /// The in argument at `index`.
  ///
  /// - Throws: `invalidArgs` when the text isn't a `Value`; after ``ArgumentCoder`` that can't happen.
  public func input<Value: WireValue>(_ index: Int, as type: Value.Type = Value.self) throws(UPnPError)
    -> Value
  {
    guard inputs.indices.contains(index), let value = Value(wire: inputs[index]) else {
      throw .invalidArgs("argument \(index + 1)")
    }
    return value
  }

  /// Adds the next out argument.
  public mutating func output(_ value: some WireValue) {
    outputs.append(value.wire)
  }
}
