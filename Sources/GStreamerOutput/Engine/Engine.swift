import CGStreamer
import Logging
import Player

/// The control thread's loop: takes what comes from the mailbox, has the ``EngineMachine`` decide, and lets ``EngineParts``
/// do it. Confined to that thread.
final class Engine {
  let mailbox: Mailbox
  let parts: EngineParts
  var machine: EngineMachine
  private var isRunning = true

  /// Nil without GStreamer.
  init?(
    configuration: OutputConfiguration, logger: Logger, mailbox: Mailbox, level: BufferLevel,
    rooms: OutputRooms = OutputRooms(),
    onEvent: @escaping @Sendable (OutputEvent) -> Void
  ) {
    guard
      let parts = EngineParts(
        configuration: configuration, logger: logger, mailbox: mailbox, level: level, rooms: rooms,
        onEvent: onEvent)
    else { return nil }
    self.mailbox = mailbox
    self.parts = parts
    machine = EngineMachine(configuration: configuration, world: parts)
  }

  /// Runs until it is told to quit.
  func run(beginningWith first: [Mailbox.Item]) {
    for item in first { handle(item) }
    while isRunning {
      for item in mailbox.wait(until: earliest) { handle(item) }
      doWhatIsDue(.now)
    }
    handle(.quit, at: .now)
  }

  /// When the next timed work is due.
  var earliest: MonotonicTime? { [machine.earliest, parts.readingDeadline].compactMap(\.self).min() }

  func handle(_ item: Mailbox.Item) {
    switch item {
    case .request(let request): handle(.request(request), at: .now)
    case .notice(let notice): handle(.notice(notice), at: .now)
    case .message(let message):
      if let event = parts.event(of: message.pointer) { handle(event, at: .now) }
    case .ping(let reply): reply()
    case .quit: isRunning = false
    }
  }

  func doWhatIsDue(_ now: MonotonicTime) {
    if let earliest = machine.earliest, earliest <= now { handle(.time, at: now) }
    for serial in parts.overdueReadings(now) { handle(.readingOverdue(serial), at: now) }
  }

  /// Does everything that follows from `event`.
  func handle(_ event: EngineEvent, at now: MonotonicTime) {
    machine.handle(event, at: now)
    while let action = machine.next(at: .now) {
      if let result = parts.perform(action) { machine.handle(.result(result), at: .now) }
    }
  }
}
