/// Whether skipping to a position, in a stream that can only be read from its start, takes too long. Pure.
///
/// Many servers send as fast as the network allows. One that sends at playing speed would be silent for as long as the
/// track had played.
enum SkipPace {
  /// The pace is known after this time (nanoseconds).
  static let patience: UInt = 10_000_000_000
  /// More silence isn't worth it (nanoseconds).
  static let longestRest = 30e9

  /// - Parameters:
  ///   - reached: where the samples that have come end (nanoseconds).
  ///   - wanted: the position to skip to (nanoseconds).
  ///   - passed: how long the skip has taken (nanoseconds).
  static func isTooSlow(reached: UInt, wanted: UInt, passed: UInt) -> Bool {
    guard passed >= patience, reached > 0, reached < wanted else { return false }
    return Double(wanted - reached) * (Double(passed) / Double(reached)) > longestRest
  }
}
