import Foundation
import Logging
import Player
import Testing

@testable import GStreamerOutput

/// What an engine without its thread told: the test's own thread is the control thread.
final class EngineEvents: @unchecked Sendable {
  private let lock = NSLock()
  private var list: [OutputEvent] = []
  var events: [OutputEvent] { lock.withLock { list } }

  func engine(_ output: String = "null") throws -> Engine {
    GStreamerLibrary.prepare()
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let configuration = OutputConfiguration(output: output, fileDirectories: [Fixtures.directory.path])
    let engine = Engine(
      configuration: configuration, logger: logger, mailbox: Mailbox(), level: BufferLevel(),
      onEvent: { [weak self] event in self?.lock.withLock { self?.list.append(event) } })
    return try #require(engine)
  }

  /// Does what comes, one thing after the other, until `isDone`; false when that takes too long.
  @discardableResult
  func drive(_ engine: Engine, _ seconds: Double = 30, until isDone: () -> Bool) -> Bool {
    let deadline = MonotonicTime.now + .seconds(seconds)
    while !isDone() {
      guard MonotonicTime.now < deadline else { return false }
      let next = min(engine.plan.earliest ?? deadline, deadline)
      for item in engine.mailbox.wait(until: next) {
        // What has come behind it waits, as it would if it came later.
        if isDone() { engine.mailbox.post(item) } else { engine.handle(item) }
      }
      engine.ring(.now)
    }
    return true
  }

  func end(_ engine: Engine) {
    engine.perform(.stop)
    engine.perform(.release)
  }
}
