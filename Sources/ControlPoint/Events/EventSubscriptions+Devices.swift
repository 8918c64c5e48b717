/// What becomes of the devices.
extension EventSubscriptions {
  /// The device has been found. Some of its services may have been subscribed to before.
  package func deviceFound(_ services: [ServiceLocation]) {
    for service in services {
      guard let token = tokens[ServiceKey(service)] else { continue }
      let former = followed[token]?.location.bootID
      deviceMoved([service])
      step(token) {
        guard let former, let present = service.bootID else {
          $0.doubt(now: $1)
          return .init()
        }
        return former == present ? .init() : $0.deviceRestarted(now: $1)
      }
    }
  }

  /// The device announces another BOOTID: it has forgotten all subscriptions.
  package func deviceRestarted(_ udn: String) {
    for token in tokens(of: udn) { step(token) { $0.deviceRestarted(now: $1) } }
  }

  /// The device has been heard of.
  package func deviceSeen(_ udn: String) {
    for token in tokens(of: udn) {
      step(token) {
        $0.hasten(now: $1)
        return .init()
      }
    }
  }

  /// The device has left, or isn't found any more.
  package func deviceGone(_ udn: String) {
    for token in tokens(of: udn) {
      step(token) { machine, _ in machine.end(.deviceGone, isReachable: false) }
    }
  }

  /// The device's services have other addresses.
  package func deviceMoved(_ services: [ServiceLocation]) {
    for service in services {
      guard let token = tokens[ServiceKey(service)] else { continue }
      followed[token]?.location = service
      checkPath(token)
    }
  }

  private func tokens(of udn: String) -> [String] {
    // Upper and lower case are the same, and a service may have been found by its description alone.
    let udn = udn.lowercased()
    return followed.filter { $0.value.location.udn.lowercased() == udn }.map(\.key)
  }
}
