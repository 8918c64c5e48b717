import HTTP
import Network
import UPnP

/// The host's interfaces, for everybody who needs them, and for no longer.
extension ControlPoint {
  /// Uses these interfaces: all of the host, running or not. Only for a control point that doesn't follow the network itself.
  public func setInterfaces(_ interfaces: [NetworkInterface]) {
    guard !configuration.followsNetwork else { return }
    networkChanged(to: interfaces)
  }

  private var needsNetwork: Bool { sockets != nil || receiving != nil || visitors > 0 }

  private func networkChanged(to interfaces: [NetworkInterface]) {
    let isNew = interfaces != self.interfaces
    self.interfaces = interfaces
    knowsInterfaces = true
    endWaiting()
    if isNew { adjustToNetwork() }
  }

  /// Follows the network while somebody needs it, and adjusts everything to it.
  func adjustToNetwork() {
    guard needsNetwork else { return forgetNetwork() }
    var failures: [String] = []
    if configuration.followsNetwork, !isMonitoring {
      do {
        try monitor.assumeIsolated { monitor in
          try monitor.start { interfaces in self.assumeIsolated { $0.networkChanged(to: interfaces) } }
        }
        isMonitoring = true
      } catch {
        failures.append("follow the network: \(error)")
      }
    }
    failures += adjustSockets()
    let served = configuration.selection.served(of: interfaces)
    subscriptions.assumeIsolated { $0.setInterfaces(served) }
    server?.assumeIsolated { $0.setInterfaces(served) }
    for failure in failures { report("can't \(failure); trying again") }
    if !failures.isEmpty { retryLater() }
  }

  private func forgetNetwork() {
    retry?.cancel()
    retry = nil
    guard isMonitoring else { return }
    isMonitoring = false
    interfaces = []
    knowsInterfaces = false
    endWaiting()
    monitor.assumeIsolated { $0.stop() }
  }

  func retryLater() {
    guard retry == nil, needsNetwork else { return }
    retry = eventLoop.scheduleTask(in: Self.retryTime) { [weak self] () -> Void in
      self?.assumeIsolated {
        $0.retry = nil
        $0.adjustToNetwork()
      }
    }
  }

  /// Waits until the interfaces are known, for somebody who needs them already; not for long, and not in a task that is
  /// cancelled.
  func waitForInterfaces() async {
    adjustToNetwork()
    guard isMonitoring, !knowsInterfaces else { return }
    lastWaiting += 1
    let id = lastWaiting
    let deadline = eventLoop.scheduleTask(in: Self.interfacesTime) { [weak self] () -> Void in
      self?.assumeIsolated { $0.endWaiting(id) }
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { waitingForInterfaces[id] = $0 }
    } onCancel: {
      eventLoop.execute { self.assumeIsolated { $0.endWaiting(id) } }
    }
    deadline.cancel()
  }

  private func endWaiting(_ id: Int) { waitingForInterfaces.removeValue(forKey: id)?.resume() }

  private func endWaiting() { for id in waitingForInterfaces.keys { endWaiting(id) } }
}
