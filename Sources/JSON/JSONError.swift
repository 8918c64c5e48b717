/// Why a text isn't read as JSON.
public struct JSONError: Error, Sendable, Hashable {
  public enum Reason: Sendable, Hashable {
    /// It isn't JSON.
    case malformed
    /// A text isn't UTF-8, or has half of a surrogate pair.
    case encoding
    /// An object has two members of the same name.
    case duplicateName
    /// It needs more than ``JSONLimits`` allow.
    case tooLarge
  }

  public var reason: Reason
  /// The place of the byte where that was noticed.
  public var offset: Int

  public init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}
