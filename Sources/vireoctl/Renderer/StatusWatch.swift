import ControlPoint

/// Which services tell their changes; the others have to be asked.
struct EventCoverage: Sendable, Hashable {
  private var silent: Set<RendererService>

  /// None has told anything yet.
  init(_ services: some Sequence<RendererService>) { silent = Set(services) }

  var isIncomplete: Bool { !silent.isEmpty }

  mutating func take(_ change: ServiceChange, of service: RendererService) {
    if change == .interrupted { silent.insert(service) } else { silent.remove(service) }
  }
}

/// The coverage, for several tasks.
private actor SharedCoverage {
  private var coverage: EventCoverage

  init(_ coverage: EventCoverage) { self.coverage = coverage }

  var isIncomplete: Bool { coverage.isIncomplete }

  func take(_ change: ServiceChange, of service: RendererService) { coverage.take(change, of: service) }
}

/// Follows what a renderer does: by its events, or by asking where it has none.
struct StatusWatch {
  /// Changes within this time are one.
  static let moderation = Duration.milliseconds(50)
  /// How often a renderer without events is asked, and one that doesn't answer.
  static let interval = Duration.seconds(2)
  /// When to subscribe again, after a refusal.
  static let retryTime = Duration.seconds(10)

  private let renderer: Renderer

  init(_ renderer: Renderer) { self.renderer = renderer }

  /// Tells every change but that of the position, until the task is cancelled.
  func run(from first: PlayerStatus, _ tell: @escaping @Sendable (PlayerStatus) throws -> Void) async throws {
    let (changes, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let renderer = renderer
    let followed: [RendererService] =
      renderer.isOpenHome
      ? [.product, .transport, .playlist, .radio, .info, .volume] : [.avTransport, .renderingControl]
    let coverage = SharedCoverage(EventCoverage(followed.filter { renderer.location($0) != nil }))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for service in followed {
        guard let location = renderer.location(service) else { continue }
        group.addTask {
          while !Task.isCancelled {
            do {
              for try await change in renderer.session.controlPoint.service(location).changes() {
                await coverage.take(change, of: service)
                signal.yield()
              }
            } catch { await coverage.take(.interrupted, of: service) }
            try await Task.sleep(for: Self.retryTime)
          }
        }
      }
      group.addTask {
        while !Task.isCancelled {
          try await Task.sleep(for: Self.interval)
          try renderer.session.output.checkReader()
          if await coverage.isIncomplete { signal.yield() }
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
      // None ends but by an error, or when the task is cancelled. The first error ends the others.
      while try await group.next() != nil {}
    }
    try Task.checkCancellation()
  }
}
