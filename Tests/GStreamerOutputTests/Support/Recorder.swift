import Foundation
import Logging
import Player
import Testing

@testable import GStreamerOutput

/// An output and all it told.
final class Recorder: @unchecked Sendable {
  private let condition = NSCondition()
  private var seen: [OutputEvent] = []
  private var output: GStreamerOutput?

  init(
    _ name: String, releaseAfter: Duration = .seconds(10), devicePatience: Duration = .seconds(600),
    deviceNodes: String = "/dev/snd", networkTimeout: Duration = .seconds(2),
    directories: [String] = [Fixtures.directory.path], replayGain: ReplayGain = ReplayGain(),
    rates: AllowedRates = AllowedRates()
  ) {
    let configuration = OutputConfiguration(
      output: name, releaseAfter: releaseAfter, devicePatience: devicePatience, deviceNodes: deviceNodes,
      networkTimeout: networkTimeout, fileDirectories: directories,
      replayGain: replayGain, rates: rates)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    output = GStreamerOutput(configuration: configuration, logger: logger) { [weak self] in self?.add($0) }
  }

  private func add(_ event: OutputEvent) {
    condition.lock()
    seen.append(event)
    condition.broadcast()
    condition.unlock()
  }

  var events: [OutputEvent] {
    condition.lock()
    defer { condition.unlock() }
    return seen
  }

  func submit(_ requests: OutputRequest...) {
    for request in requests { output?.submit(request) }
  }

  func start(
    _ id: UInt64, _ uri: String, at position: Duration = .zero, paused: Bool = false, format: String? = nil
  ) {
    submit(.start(PlayID(id), Media(uri: uri, contentFormat: format), position: position, paused: paused))
  }

  func setNext(_ id: UInt64, _ uri: String) {
    submit(.setNext(NextTrack(id: PlayID(id), media: Media(uri: uri))))
  }

  /// The first event that `matches`, from number `from` on; nil when it doesn't come in time.
  @discardableResult
  func wait(
    from: Int = 0, _ seconds: Double = 30, _ matches: (OutputEvent) -> Bool
  ) -> OutputEvent? {
    let deadline = Date(timeIntervalSinceNow: seconds)
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let found = seen.dropFirst(from).first(where: matches) { return found }
      guard condition.wait(until: deadline) else { return nil }
    }
  }

  @discardableResult
  func ended(_ id: UInt64) -> Bool {
    wait { $0 == .ended(PlayID(id)) } != nil
  }

  func failure(_ id: UInt64, _ seconds: Double = 30) -> PlaybackFailure? {
    let event = wait(seconds) { if case .failed(PlayID(id), _) = $0 { true } else { false } }
    if case .failed(_, let failure) = event { return failure }
    return nil
  }

  /// After this all requests so far have been carried out.
  func ping() -> Bool {
    let done = DispatchSemaphore(value: 0)
    output?.ping { done.signal() }
    return done.wait(timeout: .now() + 20) == .success
  }

  var buffered: Duration { output?.buffered ?? .zero }

  func shutdown() { output?.shutdown() }
  deinit { output?.shutdown() }
}

extension OutputEvent {
  var isPlaying: Bool { if case .playing = self { true } else { false } }
  var isPaused: Bool { if case .paused = self { true } else { false } }
  /// Whether it tells of a device for which `matches` answers true.
  func isDevice(_ matches: (DeviceReport) -> Bool) -> Bool {
    if case .device(let report) = self { matches(report) } else { false }
  }
  var isBuffering: Bool { if case .buffering = self { true } else { false } }
}
