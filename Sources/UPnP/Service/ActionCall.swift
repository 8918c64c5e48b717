import Network
import SCPD

/// The control point that invoked an action.
public struct ActionContext: Sendable, Hashable {
  public var remoteAddress: IPAddress
  /// The request's User-Agent header, cut to 200 characters; empty when it has none.
  public var userAgent: String

  public init(remoteAddress: IPAddress, userAgent: String = "") {
    self.remoteAddress = remoteAddress
    self.userAgent = userAgent
  }
}

/// One invocation of an action: checked arguments in, results out.
///
/// ``ArgumentCoder`` checks the arguments; the code generated from `ServiceXML` reads them and adds the results.
public struct ActionCall: Sendable {
  /// Position of the action in the service's description.
  public let action: Int
  public let context: ActionContext
  /// The in arguments as strings, in the description's order; ``ArgumentCoder`` has checked them.
  public let inputs: [String]
  /// The out arguments in the description's order.
  public private(set) var outputs: [ActionOutput] = []

  public init(action: Int, context: ActionContext, inputs: [String]) {
    self.action = action
    self.context = context
    self.inputs = inputs
  }

  /// Returns the in argument at `index`.
  ///
  /// - Throws: `invalidArgs` when the string isn't a `Value`; this can't happen after ``ArgumentCoder``.
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
    outputs.append(.text(value.wire))
  }

  /// Adds the next out argument, a long string.
  public mutating func output(_ pieces: any ChunkedText) {
    outputs.append(.pieces(pieces))
  }
}
