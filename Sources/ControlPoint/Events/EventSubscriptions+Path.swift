import Network

/// The way back: where events come in.
extension EventSubscriptions {
  /// The URL for events: at the address of the interface that reaches the device.
  func callback(_ service: FollowedService, _ token: String) -> String? {
    guard let address = service.path?.own, let listening, listening.ipv6 || !address.isIPv6 else {
      return nil
    }
    return "http://\(address.urlHost):\(listening.port)\(Self.prefix)\(token)"
  }

  func path(to location: ServiceLocation) -> FollowedService.Path? {
    guard let device = location.events else { return nil }
    let address = device.address
    if address.isLoopback { return .init(device: device, own: address) }
    let scope = address.needsScope ? device.interface : nil
    let own = interfaces.lazy.filter { $0.isRunning && (scope == nil || $0.index == scope) }
      .compactMap { $0.address(reaching: address) }.first
    return own.map { .init(device: device, own: $0) }
  }

  func checkPath(_ token: String) {
    guard let service = followed[token], path(to: service.location) != service.path else { return }
    let path = path(to: service.location)
    followed[token]?.path = path
    // Without any, events and renewals fail by themselves.
    if path != nil { step(token) { $0.pathChanged(now: $1) } }
  }
}
