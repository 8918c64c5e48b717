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
    var maximum: Int?
    if case .relative = target {
      now = try await volume()
      maximum = (await ask(.volume, "VolumeLimit")?.text("Value")).flatMap { Int($0) }
      if maximum == nil, let location = location(.renderingControl), !services.contains(.volume) {
        let description = try? await session.controlPoint.service(location).description()
        maximum = description?.variables.first { $0.name == "Volume" }?.range.map {
          Int(clamping: $0.maximum)
        }
      }
    }
    let volume = target.volume(now: now, maximum: maximum)
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
