import HTTP
import UPnP

/// The server that events come in by, while somebody reads changes.
extension ControlPoint {
  /// Waits until events can be received.
  func startReceiving() async {
    if receiving == nil {
      receivingCount += 1
      let generation = receivingCount
      receiving = (generation, Task { await listen(generation) })
    }
    // It may end and begin again meanwhile.
    var waitedFor = 0
    while let receiving, receiving.generation != waitedFor {
      waitedFor = receiving.generation
      await receiving.task.value
    }
  }

  private func listen(_ generation: Int) async {
    await waitForInterfaces()
    guard configuration.listensForEvents, receiving?.generation == generation else { return }
    var settings = HTTPConfiguration()
    settings.port = configuration.eventPort
    settings.mayUseAnyPort = true
    settings.ipv6 = configuration.ipv6
    let server = HTTPServer(eventLoop: eventLoop, configuration: settings, logger: logger)
    do {
      let listening = try await server.start([subscriptions])
      guard receiving?.generation == generation else { return await server.shutdown() }
      self.server = server
      await subscriptions.setListening(listening)
      adjustToNetwork()
    } catch {
      report("no events can be received: \(error)")
      guard receiving?.generation == generation else { return }
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
