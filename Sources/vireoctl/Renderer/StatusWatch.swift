import ControlPoint

/// Follows what a renderer does: by its events, or by asking where it has none.
struct StatusWatch {
  /// Changes within this time are one.
  static let moderation = Duration.milliseconds(50)
  /// How often a renderer without events is asked, and one that doesn't answer.
  static let interval = Duration.seconds(2)

  private let renderer: Renderer

  init(_ renderer: Renderer) { self.renderer = renderer }

  /// Tells every change but that of the position, until the task is cancelled.
  func run(from first: PlayerStatus, _ tell: @escaping @Sendable (PlayerStatus) throws -> Void) async throws {
    let (changes, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let renderer = renderer
    let followed: [RendererService] =
      renderer.isOpenHome
      ? [.product, .transport, .playlist, .radio, .info, .volume] : [.avTransport, .renderingControl]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for location in followed.compactMap({ renderer.location($0) }) {
        group.addTask {
          var hasEvents = true
          while !Task.isCancelled {
            do {
              if hasEvents {
                for try await _ in renderer.session.controlPoint.service(location).changes() {
                  signal.yield()
                }
              }
            } catch { hasEvents = false }
            try await Task.sleep(for: Self.interval)
            signal.yield()
          }
        }
      }
      group.addTask {
        var last = first.withoutPosition
        var isLost = false
        for await _ in changes {
          try await Task.sleep(for: Self.moderation)
          do {
            let status = try await renderer.status()
            isLost = false
            guard status.withoutPosition != last else { continue }
            last = status.withoutPosition
            try tell(status)
          } catch let failure as Failure where failure.status == .unreachable || failure.status == .timedOut {
            if !isLost { renderer.session.output.note("\(failure.message); trying again") }
            isLost = true
            try await Task.sleep(for: Self.interval)
            signal.yield()
          }
        }
      }
      defer { group.cancelAll() }
      // None ends but by an error, or when the task is cancelled.
      try await group.waitForAll()
    }
    try Task.checkCancellation()
  }
}
