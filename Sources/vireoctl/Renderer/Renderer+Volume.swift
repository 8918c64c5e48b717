import ControlPoint
import Proxies

extension Renderer {
  func volume() async throws -> Int {
    if services.contains(.volume) {
      let volume: Volume4.Proxy = try proxy(.volume)
      return try await attempt { () async throws(ActionFailure) in Int(try await volume.volume()) }
    }
    let control: RenderingControl1.Proxy = try proxy(.renderingControl)
    return try await attempt { () async throws(ActionFailure) in Int(try await control.getVolume()) }
  }

  /// Sets the volume; returns what was asked for.
  func setVolume(_ target: VolumeTarget) async throws -> Int {
    var now = 0
    if case .relative = target { now = try await volume() }
    let maximum = await loudest()
    let volume = target.volume(now: now, maximum: maximum)
    // OpenHome's devices take a larger one as the largest.
    if case .absolute = target, let maximum, volume > maximum {
      throw Failure(.usage, "there is no volume \(volume): the loudest here is \(maximum)")
    }
    if services.contains(.volume) {
      let control: Volume4.Proxy = try proxy(.volume)
      try await attempt { () async throws(ActionFailure) in
        try await control.setVolume(value: UInt32(clamping: volume))
      }
    } else {
      let control: RenderingControl1.Proxy = try proxy(.renderingControl)
      guard let desired = UInt16(exactly: volume) else {
        throw Failure(.usage, "there is no volume \(volume)")
      }
      try await attempt { () async throws(ActionFailure) in
        try await control.setVolume(desiredVolume: desired)
      }
    }
    return volume
  }

  /// The largest volume that can be set; nil if the device doesn't say.
  private func loudest() async -> Int? {
    if services.contains(.volume) {
      let limit = (await ask(.volume, "VolumeLimit")?.text("Value")).flatMap { Int($0) }
      return limit.flatMap { $0 > 0 ? $0 : nil }
    }
    guard let location = location(.renderingControl) else { return nil }
    let description = try? await session.controlPoint.service(location).description()
    return description?.variables.first { $0.name == "Volume" }?.range.map { Int(clamping: $0.maximum) }
  }

  func isMuted() async throws -> Bool {
    if services.contains(.volume) {
      let volume: Volume4.Proxy = try proxy(.volume)
      return try await attempt { () async throws(ActionFailure) in try await volume.mute() }
    }
    let control: RenderingControl1.Proxy = try proxy(.renderingControl)
    return try await attempt { () async throws(ActionFailure) in try await control.getMute() }
  }

  func setMuted(_ isMuted: Bool) async throws {
    if services.contains(.volume) {
      let volume: Volume4.Proxy = try proxy(.volume)
      return try await attempt { () async throws(ActionFailure) in try await volume.setMute(value: isMuted) }
    }
    let control: RenderingControl1.Proxy = try proxy(.renderingControl)
    try await attempt { () async throws(ActionFailure) in try await control.setMute(desiredMute: isMuted) }
  }
}
