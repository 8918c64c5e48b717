import ControlPoint
import Renderers

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
  /// How often a renderer without events is asked.
  static let interval = Duration.seconds(2)
  /// After so many intervals every renderer is asked: events may be lost without a trace.
  static let checks = 20
  /// When to subscribe again, after a refusal.
  static let retryTime = Duration.seconds(10)

  private let renderer: Renderer

  init(_ renderer: Renderer) { self.renderer = renderer }

  /// Tells every change but that of the position, until the task is cancelled.
  func run(from first: PlayerStatus, _ tell: @escaping @Sendable (PlayerStatus) throws -> Void)
    async throws
  {
    let (changes, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let session = renderer.session
    let watch = DeviceWatch(renderer.devices)
    let reader = StatusReader {
      try await Renderer(watch.devices, session).status()
    } note: {
      session.output.note($0)
    }
    try await watch.during(session.controlPoint) {
      signal.yield()
    } _: {
      try await follow(watch, signal) { try await reader.run(from: first, changes, tell) }
    }
    try Task.checkCancellation()
  }

  /// Signals whatever may be a change, until `read` ends.
  private func follow(
    _ watch: DeviceWatch, _ signal: AsyncStream<Void>.Continuation,
    _ read: @escaping @Sendable () async throws -> Void
  ) async throws {
    let (session, followed) = (renderer.session, followed)
    let coverage = SharedCoverage(EventCoverage(followed.keys))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (service, location) in followed {
        group.addTask {
          while !Task.isCancelled {
            do {
              let present = await watch.location(of: location)
              for try await change in session.controlPoint.service(present).changes() {
                await coverage.take(change, of: service)
                signal.yield()
              }
            } catch { await coverage.take(.interrupted, of: service) }
            try await watch.pause(Self.retryTime)
          }
        }
      }
      group.addTask {
        var count = 0
        while !Task.isCancelled {
          try await Task.sleep(for: Self.interval)
          try session.output.checkReader()
          count += 1
          let isIncomplete = await coverage.isIncomplete
          if isIncomplete || count % Self.checks == 0 { signal.yield() }
        }
      }
      group.addTask { try await read() }
      defer { group.cancelAll() }
      // None ends but by an error, or when the task is cancelled. The first error ends the others.
      while try await group.next() != nil {}
    }
  }

  /// The services whose events are taken.
  private var followed: [RendererService: ServiceLocation] {
    let services: [RendererService] =
      renderer.isOpenHome
      ? [.product, .transport, .playlist, .radio, .info, .volume]
      : [.avTransport, .renderingControl]
    let found = services.compactMap { service in renderer.location(service).map { (service, $0) } }
    return Dictionary(found) { first, _ in first }
  }
}
