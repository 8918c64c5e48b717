import HTTP

/// Whose turn it is: how many requests run, in all and to each endpoint, and who waits. A pure value.
struct ExchangeTurns {
  private let limits: ExchangeLimits
  private var running = 0
  private var runningTo: [HTTPEndpoint: Int] = [:]
  /// In the order of their coming.
  private var waiting: [(token: Int, endpoint: HTTPEndpoint)] = []

  init(limits: ExchangeLimits) { self.limits = limits }

  enum Entry: Hashable {
    case start, wait
    /// Too many wait.
    case refuse
  }

  /// Says what the request `token` shall do; each that starts has to ``leave(_:)``.
  mutating func enter(_ token: Int, _ endpoint: HTTPEndpoint) -> Entry {
    if hasRoom(for: endpoint) {
      begin(endpoint)
      return .start
    }
    guard waiting.count < limits.waiting else { return .refuse }
    waiting.append((token, endpoint))
    return .wait
  }

  /// Ends a request that runs; returns those that start now.
  mutating func leave(_ endpoint: HTTPEndpoint) -> [Int] {
    guard let count = runningTo[endpoint] else { return [] }
    running -= 1
    runningTo[endpoint] = count > 1 ? count - 1 : nil
    var started: [Int] = []
    var index = 0
    while index < waiting.count, running < limits.parallel {
      let (token, endpoint) = waiting[index]
      guard hasRoom(for: endpoint) else {
        index += 1
        continue
      }
      waiting.remove(at: index)
      begin(endpoint)
      started.append(token)
    }
    return started
  }

  /// Removes a request that waits; false when it doesn't.
  mutating func giveUp(_ token: Int) -> Bool {
    guard let index = waiting.firstIndex(where: { $0.token == token }) else { return false }
    waiting.remove(at: index)
    return true
  }

  private func hasRoom(for endpoint: HTTPEndpoint) -> Bool {
    running < limits.parallel && runningTo[endpoint, default: 0] < limits.parallelPerEndpoint
  }

  private mutating func begin(_ endpoint: HTTPEndpoint) {
    running += 1
    runningTo[endpoint, default: 0] += 1
  }
}
