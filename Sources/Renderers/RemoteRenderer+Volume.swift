import ControlPoint
import Proxies

extension RemoteRenderer {
  package func volume() async throws(RendererFailure) -> Int {
    if services.contains(.volume) {
      let volume: Volume4.Proxy = try proxy(.volume)
      return try await attempt { () async throws(ActionFailure) in Int(try await volume.volume()) }
    }
    let control: RenderingControl1.Proxy = try proxy(.renderingControl)
    return try await attempt { () async throws(ActionFailure) in Int(try await control.getVolume()) }
  }

  package func setVolume(_ volume: Int) async throws(RendererFailure) {
    if services.contains(.volume) {
      let control: Volume4.Proxy = try proxy(.volume)
      return try await attempt { () async throws(ActionFailure) in
        try await control.setVolume(value: UInt32(clamping: volume))
      }
    }
    let control: RenderingControl1.Proxy = try proxy(.renderingControl)
    try await attempt { () async throws(ActionFailure) in
      try await control.setVolume(desiredVolume: UInt16(clamping: volume))
    }
  }

  /// The largest volume that can be set; nil if the device doesn't say.
  package func loudest() async -> Int? {
    if services.contains(.volume) {
      let limit = (await ask(.volume, "VolumeLimit")?.text("Value")).flatMap { Int($0) }
      return limit.flatMap { $0 > 0 ? $0 : nil }
    }
    guard let location = location(.renderingControl) else { return nil }
    let description = try? await controlPoint.service(location).description()
    return description?.variables.first { $0.name == "Volume" }?.range.map { Int(clamping: $0.maximum) }
  }

  package func isMuted() async throws(RendererFailure) -> Bool {
    if services.contains(.volume) {
      let volume: Volume4.Proxy = try proxy(.volume)
      return try await attempt { () async throws(ActionFailure) in try await volume.mute() }
    }
    let control: RenderingControl1.Proxy = try proxy(.renderingControl)
    return try await attempt { () async throws(ActionFailure) in try await control.getMute() }
  }

  package func setMuted(_ isMuted: Bool) async throws(RendererFailure) {
    if services.contains(.volume) {
      let volume: Volume4.Proxy = try proxy(.volume)
      return try await attempt { () async throws(ActionFailure) in try await volume.setMute(value: isMuted) }
    }
    let control: RenderingControl1.Proxy = try proxy(.renderingControl)
    try await attempt { () async throws(ActionFailure) in try await control.setMute(desiredMute: isMuted) }
  }
}
