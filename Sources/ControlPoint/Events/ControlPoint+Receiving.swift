import HTTP
import UPnP

/// The server that events come in by, while somebody reads changes.
extension ControlPoint {
  /// Waits until events can be received.
  func startReceiving() async {
    let task: Task<Void, Never>
    if let receiving {
      task = receiving
    } else {
      task = Task { await listen() }
      receiving = task
    }
    await task.value
  }

  private func listen() async {
    await waitForInterfaces()
    guard configuration.listensForEvents else { return }
    var settings = HTTPConfiguration()
    settings.port = configuration.eventPort
    settings.mayUseAnyPort = true
    settings.ipv6 = configuration.ipv6
    let server = HTTPServer(eventLoop: eventLoop, configuration: settings, logger: logger)
    do {
      let listening = try await server.start([subscriptions])
      guard receiving != nil else { return await server.shutdown() }
      self.server = server
      await subscriptions.setListening(listening)
      adjustToNetwork()
    } catch {
      report("no events can be received: \(error)")
      // The next reader tries again.
      receiving = nil
      adjustToNetwork()
    }
  }

  func stopReceiving() {
    guard receiving != nil else { return }
    receiving = nil
    if let server {
      self.server = nil
      Task { await server.shutdown() }
    }
    adjustToNetwork()
  }
}
