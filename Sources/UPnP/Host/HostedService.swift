/// A service with values derived from it once, to save work on each request.
final class HostedService: Sendable {
  let key: ServiceKey
  let provider: any ServiceProvider
  let coder: ArgumentCoder
  let version: Int
  let sidFormat: SIDFormat
  let habits: DeviceHabits
  let hasLeadingVariable: Bool
  /// The service type without its version: `urn:schemas-upnp-org:service:AVTransport:`.
  private let typePrefix: String

  init(_ provider: any ServiceProvider, of device: Device, sidFormat: SIDFormat, habits: DeviceHabits) {
    self.provider = provider
    self.sidFormat = sidFormat
    self.habits = habits
    let identity = provider.identity
    key = ServiceKey(udn: device.udn, name: identity.name)
    coder = ArgumentCoder(provider)
    version = identity.version
    hasLeadingVariable = provider.leading != nil
    typePrefix = "urn:\(identity.domain):service:\(identity.name):"
  }

  /// The fields of its event messages that other services don't send, as lines with a line feed in front.
  var eventFields: String {
    habits.eventServiceField.map { "\r\n\($0): \(key.name)" } ?? ""
  }

  /// Returns the version in `type`, up to this service's own; nil for any other service type.
  func version(of type: String) -> Int? {
    guard type.hasPrefix(typePrefix) else { return nil }
    let digits = type.utf8.dropFirst(typePrefix.utf8.count)
    guard (1...3).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
      let asked = Int(String(digits) ?? ""), (1...version).contains(asked)
    else { return nil }
    return asked
  }
}
