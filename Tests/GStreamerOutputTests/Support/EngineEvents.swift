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
      let next = min(engine.machine.earliest ?? deadline, deadline)
      for item in engine.mailbox.wait(until: next) {
        // What has come behind it waits, as it would if it came later.
        if isDone() { engine.mailbox.post(item) } else { engine.handle(item) }
      }
      engine.doWhatIsDue(.now)
    }
    return true
  }

  func end(_ engine: Engine) {
    engine.perform(.stop)
    engine.perform(.release)
  }
}

/// A track of an engine: what the machine knows of it, and its pipeline.
struct EngineTrack: Equatable {
  let engine: Engine
  let serial: Int
  /// As it was first seen, for when it has gone.
  let record: TrackRecord
  let track: Track

  init?(_ engine: Engine, _ serial: Int?) {
    guard let record = engine.machine[serial], let track = engine.parts.tracks[record.serial] else {
      return nil
    }
    self.engine = engine
    self.serial = record.serial
    self.record = record
    self.track = track
  }

  static func == (left: EngineTrack, right: EngineTrack) -> Bool { left.track === right.track }

  private var known: TrackRecord { engine.machine[serial] ?? record }

  var id: PlayID { known.id }
  var media: Media { known.media }
  var state: TrackState {
    get { known.state }
    nonmutating set { engine.machine[serial]?.state = newValue }
  }
  var isSeekable: Bool {
    get { known.isSeekable }
    nonmutating set { engine.machine[serial]?.isSeekable = newValue }
  }
  var duration: UInt? { known.duration }
  var exactDuration: UInt? { known.exactDuration }
  var readAhead: ReadAhead? { track.readAhead }
}

extension Engine {
  var heard: EngineTrack? { EngineTrack(self, machine.heard) }
  var upcoming: EngineTrack? { EngineTrack(self, machine.upcoming) }
  var prepared: EngineTrack? { EngineTrack(self, machine.prepared) }

  func perform(_ request: OutputRequest) { handle(.request(request), at: .now) }

  func handle(_ notice: PipelineEvent) { handle(.notice(notice), at: .now) }

  /// The device fails.
  func loseDevice() { handle(.device(.failed(reason: "it is gone", .absent)), at: .now) }

  /// Has `due` done now.
  func hasten(_ due: WritableKeyPath<EnginePlan, MonotonicTime?>) {
    machine.plan[keyPath: due] = .now
    handle(.time, at: .now)
  }
}
