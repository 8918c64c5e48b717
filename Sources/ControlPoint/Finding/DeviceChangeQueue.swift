/// The changes that one reader hasn't been told yet.
///
/// Several changes of one device become one, so that a slow reader gets the truth late, but whole, and the queue is never
/// longer than the devices that were told and those that are there.
struct DeviceChangeQueue: Sendable {
  private var order: [String] = []
  private var pending: [String: DeviceChange] = [:]
  /// The UDNs of the devices that the reader knows of.
  private(set) var told: Set<String> = []

  var count: Int { order.count }

  mutating func add(_ change: DeviceChange) {
    let key = change.device.udn
    if let merged = Self.merged(change, after: pending[key], isKnown: told.contains(key)) {
      if pending.updateValue(merged, forKey: key) == nil { order.append(key) }
    } else if pending.removeValue(forKey: key) != nil {
      order.removeAll { $0 == key }
    }
  }

  /// Takes the next change for the reader.
  mutating func next() -> DeviceChange? {
    guard !order.isEmpty else { return nil }
    let key = order.removeFirst()
    guard let change = pending.removeValue(forKey: key) else { return nil }
    switch change {
    case .expired, .left: told.remove(key)
    case .appeared, .updated, .restarted: told.insert(key)
    }
    return change
  }

  /// What to tell instead of `earlier` and `change`; nil for nothing.
  private static func merged(
    _ change: DeviceChange, after earlier: DeviceChange?, isKnown: Bool
  ) -> DeviceChange? {
    switch change {
    case .expired, .left: return isKnown ? change : nil
    case .appeared(let device), .updated(let device), .restarted(let device):
      guard isKnown else { return .appeared(device) }
      switch (earlier, change) {
      // It was gone, and the reader needn't know.
      case (.expired, _), (.left, _), (.restarted, _), (_, .restarted), (_, .appeared):
        return .restarted(device)
      default: return .updated(device)
      }
    }
  }
}
