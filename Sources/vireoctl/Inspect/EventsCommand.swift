import ArgumentParser
import ControlPoint

/// Prints a device's events until it is interrupted.
struct EventsCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "Prints the events of a device's services as they come.",
    discussion: "With --json, one object a line. Ctrl-C ends it, and the subscriptions too.")

  @Argument(help: "The device: name, UDN, address or URL.") var device: String
  @Argument(help: "Only these services.") var services: [String] = []
  @Option(help: "End after this many events.") var count: Int?
  @Option(name: .customLong("for"), help: "End after this many seconds.") var seconds: Double?
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count must be at least 1") }
    if let seconds, !(0.1...1_000_000).contains(seconds) {
      throw ValidationError("--for must be 0.1 to 1000000 seconds")
    }
  }

  func perform(_ session: Session) async throws -> Report? {
    let found = try await DeviceFinder(session).device(device)
    let wanted = try services.isEmpty ? found.services : services.flatMap { try found.services(named: $0) }
    let locations = wanted.filter { $0.events != nil }
    guard !locations.isEmpty else {
      throw Failure(.refused, "\(found.friendlyName) has no events there", hints: wanted.map(\.type))
    }
    let printer = EventPrinter(session.output, count: count)
    let watch = DeviceWatch([found])
    let work: @Sendable () async throws -> Void = {
      try await watch.during(session.controlPoint) {
        try await follow(locations, watch, session.controlPoint.subscriptions, printer)
      }
    }
    if let seconds {
      _ = try await within(Duration(fractionalSeconds: seconds), work)
    } else {
      try await work()
    }
    try Task.checkCancellation()
    return nil
  }

  /// Prints until there are enough, or until all services have ended. A device that leaves is waited for.
  private func follow(
    _ locations: [ServiceLocation], _ watch: DeviceWatch, _ subscriptions: EventSubscriptions,
    _ printer: EventPrinter
  ) async throws {
    try await withThrowingTaskGroup(of: Failure?.self) { group in
      for location in locations {
        group.addTask {
          while true {
            do {
              // A service whose events come faster than they are printed has them put together.
              for try await change in subscriptions.changes(of: await watch.location(of: location)) {
                if try await printer.print(change, of: location.name) { return nil }
              }
              return nil
            } catch let end as ChangesEnd {
              let failure = Failure(end, location.name)
              await printer.note(failure)
              guard end == .deviceGone else { return failure }
            }
            try await watch.pause(StatusWatch.retryTime)
          }
        }
      }
      defer { group.cancelAll() }
      var last: Failure?
      while let end = try await group.next() {
        last = end ?? last
        if await printer.isDone { return }
      }
      if let last, !Task.isCancelled { throw last }
    }
  }
}

/// Prints the events of several services, one after the other.
private actor EventPrinter {
  private let output: Output
  private let count: Int?
  private let start = ContinuousClock.now
  private var events = 0
  private(set) var isDone = false

  init(_ output: Output, count: Int?) {
    self.output = output
    self.count = count
  }

  /// Returns true when that are enough.
  func print(_ change: ServiceChange, of service: String) throws -> Bool {
    guard !isDone else { return true }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    try output.show(EventLine.report(change, service: service, seconds: seconds))
    if change != .interrupted { events += 1 }
    isDone = count.map { events >= $0 } ?? false
    return isDone
  }

  func note(_ failure: Failure) { output.note(failure.message) }
}

extension Failure {
  /// Why there are no more events of a service.
  init(_ end: ChangesEnd, _ service: String) {
    switch end {
    case .noEvents: self.init(.refused, "\(service) has no events")
    case .refused(let status):
      self.init(.refused, "\(service) refused the subscription with HTTP status \(status)")
    case .deviceGone: self.init(.unreachable, "\(service): the device has left the network")
    case .tooMany: self.init(.software, "\(service): too many subscriptions")
    case .stopped: self.init(.interrupted, "interrupted")
    }
  }
}
