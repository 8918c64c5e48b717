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
    let changes = Self.merged(locations, session.controlPoint.subscriptions)
    let work: @Sendable () async throws -> Void = { try await show(changes, of: locations.count, session) }
    if let seconds {
      _ = try await within(Duration(fractionalSeconds: seconds), work)
    } else {
      try await work()
    }
    try Task.checkCancellation()
    return nil
  }

  private enum Item: Sendable {
    case change(ServiceChange, String)
    case end(ChangesEnd, String)
  }

  /// The changes of all services, in the order in which they come.
  private static func merged(
    _ locations: [ServiceLocation], _ subscriptions: EventSubscriptions
  ) -> AsyncStream<Item> {
    // A device that sends faster than anybody reads must not fill the memory.
    let (stream, continuation) = AsyncStream<Item>.makeStream(bufferingPolicy: .bufferingNewest(10_000))
    let tasks = locations.map { location in
      Task {
        do throws(ChangesEnd) {
          for try await change in subscriptions.changes(of: location) {
            continuation.yield(.change(change, location.name))
          }
        } catch { continuation.yield(.end(error, location.name)) }
      }
    }
    continuation.onTermination = { _ in for task in tasks { task.cancel() } }
    return stream
  }

  private func show(_ stream: AsyncStream<Item>, of services: Int, _ session: Session) async throws {
    let start = ContinuousClock.now
    var (events, ended) = (0, 0)
    var last: Failure?
    for await item in stream {
      switch item {
      case .change(let change, let service):
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        try session.output.show(EventLine.report(change, service: service, seconds: seconds))
        if change != .interrupted { events += 1 }
        if let count, events >= count { return }
      case .end(let reason, let service):
        let failure = Failure(reason, service)
        session.output.note(failure.message)
        (ended, last) = (ended + 1, failure)
        if ended == services, let last { throw last }
      }
    }
    if let last, !Task.isCancelled { throw last }
  }
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
