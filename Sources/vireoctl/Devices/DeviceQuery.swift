import Network
import Renderers
import UPnP

/// What a user says to name a device.
enum DeviceQuery: Sendable, Hashable {
  /// The URL of a description.
  case url(String)
  /// Anything else.
  case words(String)

  init(_ text: String) {
    self = text.lowercased().hasPrefix("http://") ? .url(text) : .words(text)
  }

  var text: String {
    switch self {
    case .url(let text), .words(let text): text
    }
  }

  /// How well a device fits; the lowest is the best.
  enum Fit: Int, Comparable {
    /// It is this one: UDN, or address with port.
    case identity
    case name
    case address
    /// The beginning of its name, or of its UDN.
    case beginning

    static func < (left: Fit, right: Fit) -> Bool { left.rawValue < right.rawValue }
  }

  /// Nil for a device that doesn't fit.
  func fit(_ device: DeviceFacts) -> Fit? {
    switch self {
    case .url(let url): return device.url == url ? .identity : nil
    case .words(let text):
      guard !text.isEmpty else { return nil }
      var udn = text.lowercased()
      if udn.hasPrefix("uuid:") { udn.removeFirst(5) }
      if device.udn.lowercased() == udn { return .identity }
      if device.name == text || Self.folded(device.name) == Self.folded(text) { return .name }
      if let address = IPAddress(text) ?? IPAddress(text.filter { $0 != "[" && $0 != "]" }) {
        return device.addresses.contains { $0.unmapped == address.unmapped } ? .address : nil
      }
      if device.addresses.contains(where: { "\($0.urlHost):\(device.port)" == text }) { return .identity }
      if Self.folded(device.name).hasPrefix(Self.folded(text)) { return .beginning }
      return udn.count >= 6 && device.udn.lowercased().hasPrefix(udn) ? .beginning : nil
    }
  }

  /// True if no other device can be meant, even if it comes later.
  func isCertain(_ device: DeviceFacts) -> Bool {
    switch fit(device) {
    case .identity, .address: true
    case .name, .beginning, nil: false
    }
  }

  /// The one device that fits best; several if they fit equally well, and none if none does.
  ///
  /// Two devices at one address aren't told apart by it, so a user has to say more.
  func choose(_ devices: [DeviceFacts]) -> [DeviceFacts] {
    let fits = devices.compactMap { device in fit(device).map { (device, $0) } }
    guard let best = fits.map(\.1).min() else { return [] }
    return fits.filter { $0.1 == best }.map(\.0)
  }

  private static func folded(_ text: String) -> String {
    text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
