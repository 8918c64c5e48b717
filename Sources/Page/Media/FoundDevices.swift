import ControlPoint

/// Devices of one kind that were found, those among them that have gone since.
struct FoundDevices: Sendable {
  struct Entry: Sendable, Hashable {
    var device: FoundDevice
    var isThere: Bool
  }

  /// Devices that have gone and are still shown.
  static let maximumGone = 16

  /// By UDN, in lower case.
  private(set) var entries: [String: Entry] = [:]
  /// Those that have gone, the first one first.
  private var gone: [String] = []
  private let isWanted: @Sendable (FoundDevice) -> Bool

  init(_ isWanted: @escaping @Sendable (FoundDevice) -> Bool) { self.isWanted = isWanted }

  static func key(_ udn: String) -> String {
    let udn = udn.lowercased()
    return udn.hasPrefix("uuid:") ? String(udn.dropFirst(5)) : udn
  }

  subscript(udn: String) -> Entry? { entries[Self.key(udn)] }

  var present: [FoundDevice] { entries.values.filter(\.isThere).map(\.device) }

  /// Takes what has become of a device; returns false if nothing is different.
  mutating func take(_ change: DeviceChange) -> Bool {
    let device = change.device
    let key = Self.key(device.udn)
    let before = entries[key]
    switch change {
    case .appeared, .updated, .restarted:
      gone.removeAll { $0 == key }
      entries[key] = isWanted(device) ? Entry(device: device, isThere: true) : nil
    case .expired, .left:
      guard let known = before, known.isThere else { return false }
      entries[key]?.isThere = false
      gone.append(key)
      if gone.count > Self.maximumGone { entries[gone.removeFirst()] = nil }
    }
    return entries[key] != before
  }
}
