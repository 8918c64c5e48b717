import HTTP
import JSON

/// What a handler of the API answers.
public enum Reply<Value: Sendable>: Sendable {
  case value(Value)
  case problem(Problem)
  /// The answer needs others. The closure runs on the event loop as a task, which is cancelled when nobody waits for
  /// the answer any more.
  case later(@Sendable () async -> Outcome<Value>)
}

/// What an answer that had to be waited for has become.
public enum Outcome<Value: Sendable>: Sendable {
  case value(Value)
  case problem(Problem)
}

/// A command has been carried out: 204.
public struct Done: Sendable, Hashable {
  /// The version of the section `player` that has the change: `Vireo-Version`.
  public var version: Int

  public init(version: Int) { self.version = version }
}
