/// The variable of a service that control points react to: its changes bypass moderation.
///
/// A transient value, which usually lasts only milliseconds, may be held back briefly in case the next one follows.
/// Which values count as transient depends on the value sent last, since some control points rely on it.
public struct LeadingVariable: Sendable, Hashable {
  /// The variable's name, for example `TransportState`.
  public let name: String
  /// For each value sent last, the values that may be held back after it.
  public let passing: [String: Set<String>]

  public init(name: String, passing: [String: Set<String>]) {
    self.name = name
    self.passing = passing
  }

  /// True when `value` may be held back briefly, given the values last sent to the subscribers.
  func isPassing(_ value: String, after sent: some Sequence<String>) -> Bool {
    sent.allSatisfy { passing[$0]?.contains(value) == true }
  }
}
