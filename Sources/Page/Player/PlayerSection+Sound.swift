import Network
import Player

/// Commands that want to be heard, while no sound device is there.
extension PlayerSection {
  /// How long the device has to be there.
  private static let patience = Duration.seconds(1)
  private static let interval = Duration.milliseconds(20)

  /// Performs a command that plays. Where the sound device was missing before, the answer waits until it is there, or says
  /// that it is still missing (503). The command counts in any case: what was chosen plays once the device is back.
  func audibly<Value>(_ perform: () -> Reply<Value>) -> Reply<Value> {
    let before = player.currentState
    guard before.lacksDevice else { return perform() }
    let reply = perform()
    guard case .value(let value) = reply else { return reply }
    return .later { await self.waitForDevice(value, from: before.device) }
  }

  private func waitForDevice<Value>(_ value: Value, from before: DeviceReport) async -> Outcome<Value> {
    var left = Self.patience
    while left > .zero, !Task.isCancelled {
      await eventLoop.pause(for: Self.interval)
      left -= Self.interval
      let state = await player.state
      if state.device.isOpen || !state.wantsDevice { return .value(value) }
      if state.device != before, let problem = state.deviceProblem { return .problem(problem) }
    }
    return await player.state.deviceProblem.map { .problem($0) } ?? .value(value)
  }
}

extension PlayerState {
  /// True when the sound device was missing at last, as far as anybody knows.
  fileprivate var lacksDevice: Bool { deviceProblem != nil }

  /// False when nothing is to be heard.
  fileprivate var wantsDevice: Bool { transport.continuation == .playing || failure?.kind == .device }

  /// The words of the log, and the key to set.
  fileprivate var deviceProblem: Problem? {
    var words: String?
    if let failure, failure.kind == .device { words = failure.message }
    if case .away(let text) = device { words = text }
    guard let words, !device.isOpen else { return nil }
    return .unavailable(
      "no-sound-device", [words, PlaybackFailure.Kind.device.cure].compactMap(\.self).joined(separator: " "))
  }
}
