import Network

/// How many actions may wait at once, for the disk for instance: together, and of one address. A pure value.
struct WaitingActions: Sendable {
  static let most = 64
  static let mostOfAddress = 16

  private var counts: [IPAddress: Int] = [:]

  /// Counts an action that begins to wait; false when there are too many.
  mutating func begin(_ address: IPAddress) -> Bool {
    let own = counts[address, default: 0]
    guard own < Self.mostOfAddress, counts.values.reduce(0, +) < Self.most else { return false }
    counts[address] = own + 1
    return true
  }

  mutating func end(_ address: IPAddress) {
    let own = counts[address, default: 0]
    counts[address] = own > 1 ? own - 1 : nil
  }
}
