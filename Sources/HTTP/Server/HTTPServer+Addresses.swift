import NIOCore
import NIOPosix
import Network

/// Listening at this host's own addresses instead of at all: the effects of ``AddressListeners``.
extension HTTPServer {
  /// False while its port is taken wherever it would listen.
  package var isReachable: Bool { ownListeners.isReachable }

  /// Calls `observer` on the event loop when the port of an own address can't be opened, and when it can after all.
  package func observeListening(_ observer: @escaping @Sendable (ListeningChange) -> Void) {
    listeningObserver = observer
  }

  /// Follows the addresses of the current interfaces.
  func listenAtOwnAddresses() {
    guard configuration.atOwnAddresses, !isStopped else { return }
    let addresses = access.interfaces.flatMap(\.addresses).map(\.address).filter { !$0.isIPv6 }
    carryOut(ownListeners.set(Set(addresses)))
  }

  private func carryOut(_ actions: [AddressListeners.Action], failure: String? = nil) {
    for action in actions {
      switch action {
      case .open(let address): open(address)
      case .close(let address): ownChannels.removeValue(forKey: address)?.close(promise: nil)
      case .tellFailure(let address): tell(address, failure ?? "")
      case .tellSuccess(let address): tell(address, nil)
      }
    }
    setOwnAlarm()
  }

  private func tell(_ address: IPAddress, _ failure: String?) {
    listeningObserver?(ListeningChange(address: address, port: configuration.port, failure: failure))
  }

  private func open(_ address: IPAddress) {
    let opening = ListeningSockets.listen(
      port: configuration.port, address: address, on: eventLoop, limits: configuration.limits, server: self)
    opening.whenComplete { result in self.assumeIsolated { $0.opened(address, result) } }
  }

  private func opened(_ address: IPAddress, _ result: Result<any Channel, any Error>) {
    switch result {
    case .success(let channel):
      guard !isStopped else { return channel.close(promise: nil) }
      let actions = ownListeners.opened(address)
      guard !actions.contains(.close(address)) else { return channel.close(promise: nil) }
      ownChannels[address] = channel
      carryOut(actions)
    case .failure(let error):
      guard !isStopped else { return }
      let why = (error as? IOError).map { errorText($0.errnoCode) } ?? "\(error)"
      carryOut(ownListeners.failed(address, now: .now()), failure: why)
    }
  }

  private func setOwnAlarm() {
    guard let wake = ownListeners.wake, ownAlarm.isLate(for: wake) else { return }
    ownAlarm.set(wake, on: eventLoop) {
      self.assumeIsolated { server in
        server.ownAlarm.fired()
        guard !server.isStopped else { return }
        server.carryOut(server.ownListeners.woken(now: .now()))
      }
    }
  }
}
