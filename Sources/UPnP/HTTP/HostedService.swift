/// A service with what is derived from it once, so that no request has to.
final class HostedService: Sendable {
  let key: ServiceKey
  let provider: any ServiceProvider
  let coder: ArgumentCoder
  let version: Int
  /// `urn:schemas-upnp-org:service:AVTransport:`
  private let typePrefix: String

  init(_ provider: any ServiceProvider, of device: RootDevice) {
    self.provider = provider
    let identity = provider.identity
    key = ServiceKey(udn: device.udn, name: identity.name)
    coder = ArgumentCoder(provider)
    version = identity.version
    typePrefix = "urn:\(identity.domain):service:\(identity.name):"
  }

  /// True for the type of this service in this version or one before it.
  func understands(type: String) -> Bool {
    guard type.hasPrefix(typePrefix) else { return false }
    let digits = type.utf8.dropFirst(typePrefix.utf8.count)
    guard (1...3).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
      let asked = Int(String(digits) ?? "")
    else { return false }
    return (1...version).contains(asked)
  }
}
