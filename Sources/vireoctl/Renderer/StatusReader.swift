import Renderers

/// Asks a renderer for its state whenever it may be another, and tells each that is.
struct StatusReader: Sendable {
  /// Changes within this time are one.
  var moderation = Duration.milliseconds(50)
  /// How long to wait after a failure.
  var interval = Duration.seconds(2)
  let ask: @Sendable () async throws -> PlayerStatus
  /// Tells the user something else.
  let note: @Sendable (String) -> Void

  /// Goes on whatever the renderer answers: what fails now may work in a moment.
  ///
  /// - Parameters:
  ///   - first: what was told already.
  ///   - signals: each is a reason to ask.
  /// - Throws: what `tell` throws, and when it is interrupted.
  func run(
    from first: PlayerStatus, _ signals: AsyncStream<Void>,
    _ tell: @escaping @Sendable (PlayerStatus) throws -> Void
  ) async throws {
    var last = first.withoutPosition
    for await _ in signals {
      try await Task.sleep(for: moderation)
      let status = try await answer()
      guard status.withoutPosition != last else { continue }
      last = status.withoutPosition
      try tell(status)
    }
  }

  private func answer() async throws -> PlayerStatus {
    var isLost = false
    while true {
      do {
        return try await ask()
      } catch let failure as Failure where failure.status != .interrupted {
        if !isLost { note("\(failure.message); trying again") }
        isLost = true
        try await Task.sleep(for: interval)
      }
    }
  }
}
