/// The sample rates that the device may be given, in Hz; if empty, every rate that it supports.
public struct AllowedRates: Sendable, Hashable {
  public var rates: [Int]

  public init(_ rates: [Int] = []) { self.rates = rates }

  /// The rate to which sound of `rate` is converted: the same if it is allowed, else the smallest multiple, which is
  /// the easiest to convert to, else the next higher, which loses nothing, else the highest.
  func rate(for rate: Int) -> Int {
    guard !rates.contains(rate) else { return rate }
    let above = rates.filter { $0 > rate }
    return above.filter { $0.isMultiple(of: rate) }.min() ?? above.min() ?? rates.max() ?? rate
  }
}
