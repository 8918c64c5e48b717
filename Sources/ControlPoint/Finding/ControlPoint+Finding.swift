import NIOCore
import Network
import UPnP

/// The search for devices: carries out what the ``DeviceTable`` and the ``SearchPlan`` decide.
extension ControlPoint {
  func startFinding() {
    let eventLoop = eventLoop
    sockets = SearchSockets(ttl: configuration.ttl) { [weak self] socket, source in
      guard let self else { return eventLoop.makeFailedFuture(DiscoveryError.isShutDown) }
      return NoticeHandler.open(socket, controlPoint: self, source: source, eventLoop: eventLoop)
    }
    adjustToNetwork()
  }

  /// Begins to search, wherever that is possible now.
  func beginSearch() {
    guard let sockets, !sockets.endpoints.isEmpty else { return }
    plan.begin(now: .now())
  }

  func endFinding() {
    for task in tasks.values { task.cancel() }
    tasks = [:]
    timer?.task.cancel()
    timer = nil
    plan.end()
    table.clear()
    sockets?.closeAll()
    sockets = nil
    adjustToNetwork()
  }

  /// Adjusts the sockets to the interfaces; returns what failed.
  func adjustSockets() -> [String] {
    guard sockets != nil else { return [] }
    let selection = configuration.selection
    table.setInterfaces(selection.served(of: interfaces), now: .now())
    let before = sockets.map { Set($0.endpoints) } ?? []
    let failures = sockets?.update(SSDPEndpoint.endpoints(of: selection.announced(of: interfaces))) ?? []
    if let endpoints = sockets?.endpoints, !before.isSuperset(of: endpoints) { beginSearch() }
    proceed()
    return failures
  }

  /// Called when the channel of a socket closed unexpectedly.
  func lost(_ source: SearchSockets.Source) {
    guard sockets?.lose(source) == true else { return }
    logger.debug("a socket for searches was lost, opening it again")
    retryLater()
  }

  // MARK: What is heard and done

  func received(_ notice: SSDPNotice, from sender: IPAddress, interface: Int) {
    guard sockets != nil, table.receive(notice, from: sender, interface: interface, now: .now()) else {
      return
    }
    if notice.kind == .alive || notice.kind == .response {
      subscriptions.assumeIsolated { $0.deviceSeen(notice.udn) }
    }
    proceed()
  }

  /// Does everything that is due, and sets the timer for the next deadline.
  func proceed() {
    guard sockets != nil else { return }
    let now = NIODeadline.now()
    if plan.isDue(now: now) { sendSearches() }
    for action in table.due(now: now) {
      switch action {
      case .fetch(let token, let location): tasks[token] = Task { await describe(location, token) }
      case .cancel(let token): tasks.removeValue(forKey: token)?.cancel()
      case .change(let change):
        for id in readers.keys { readers[id]?.tell(change) }
        follow(change)
      }
    }
    let next = [plan.nextDeadline, table.nextDeadline].compactMap(\.self).min()
    guard next != timer?.deadline else { return }
    timer?.task.cancel()
    timer = next.map { deadline in
      let task = eventLoop.scheduleTask(deadline: deadline) { [weak self] () -> Void in
        self?.assumeIsolated {
          $0.timer = nil
          $0.proceed()
        }
      }
      return (deadline, task)
    }
  }

  /// Tells the subscriptions what has become of a device.
  private func follow(_ change: DeviceChange) {
    subscriptions.assumeIsolated { subscriptions in
      switch change {
      case .appeared(let device): subscriptions.deviceFound(device.services)
      case .updated(let device): subscriptions.deviceMoved(device.services)
      case .restarted(let device):
        subscriptions.deviceMoved(device.services)
        subscriptions.deviceRestarted(device.udn)
      case .expired(let device), .left(let device): subscriptions.deviceGone(device.udn)
      }
    }
  }

  private func sendSearches() {
    guard let sockets else { return }
    let targets = Set(table.wanted.map(\.searchTarget)).sorted()
    searched = [:]
    for endpoint in sockets.endpoints {
      for target in targets {
        let request = SearchRequest(target: target, mx: min(max(configuration.mx, 1), 5))
        let code = sockets.send(
          request.encoded(host: endpoint.group.host, userAgent: configuration.userAgent), at: endpoint)
        if searched[endpoint.address] ?? 0 == 0 { searched[endpoint.address] = code }
        if code != 0 { logger.debug("no search from \(endpoint.address): \(errorText(code))") }
      }
    }
  }

  private func describe(_ location: DeviceLocation, _ token: Int) async {
    var root: RootDescription?
    do {
      let document = try await fetch(location.address, RootDescription.limits.bytes, Self.descriptionTime)
      root = try RootDescription.read(document)
    } catch {
      logger.debug("no description at \(location.url): \(error)")
    }
    guard tasks.removeValue(forKey: token) != nil else { return }
    table.finish(token, root, now: .now())
    proceed()
  }
}
