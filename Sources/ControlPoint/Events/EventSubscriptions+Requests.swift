import NIOCore

/// The requests that are on their way.
extension EventSubscriptions {
  /// Runs a request beside everything else.
  func send(_ body: @escaping @Sendable (isolated EventSubscriptions) async -> Void) {
    lastRequest += 1
    let number = lastRequest
    requests[number] = Task {
      await body(self)
      requests[number] = nil
    }
  }

  /// Waits until the last request is answered: a subscription that nobody ends would be a program's that has ended itself.
  func finishRequests() async {
    let deadline = eventLoop.scheduleTask(in: limits.unsubscribeTime) {
      self.assumeIsolated { subscriptions in
        for request in subscriptions.requests.values { request.cancel() }
      }
    }
    while let request = requests.values.first { await request.value }
    deadline.cancel()
  }
}
