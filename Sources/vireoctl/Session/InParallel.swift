/// Runs work for several things beside each other.
enum InParallel {
  /// Runs `work` for each of `elements`, and takes the results in the order of their arrival.
  ///
  /// - Parameters:
  ///   - count: how many at once.
  ///   - time: for all of them together; what hasn't ended by then is cancelled, and its result is nil.
  ///   - take: an error that it throws ends everything.
  static func each<Element: Sendable, Value: Sendable>(
    _ elements: [Element], atOnce count: Int, within time: Duration,
    _ work: @escaping @Sendable (Element) async throws -> Value,
    take: (Element, Result<Value?, any Error>) throws -> Void
  ) async throws {
    let deadline = ContinuousClock.now + time
    try await withThrowingTaskGroup(of: (Element, Result<Value?, any Error>).self) { group in
      defer { group.cancelAll() }
      var rest = elements[...]
      func begin() {
        guard let element = rest.popFirst() else { return }
        group.addTask {
          do {
            return (element, .success(try await within(deadline - .now) { try await work(element) }))
          } catch { return (element, .failure(error)) }
        }
      }
      for _ in 0..<count { begin() }
      while let (element, result) = try await group.next() {
        try Task.checkCancellation()
        try take(element, result)
        begin()
      }
    }
  }
}
