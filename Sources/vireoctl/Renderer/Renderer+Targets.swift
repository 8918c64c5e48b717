import Renderers

extension Renderer {
  func seek(_ target: SeekTarget) async throws {
    let status = try await status()
    do {
      guard let second = target.second(position: status.position, duration: status.duration),
        second <= Int(Int32.max)
      else {
        throw Failure(.refused, "\(name) doesn't say where it is, or how long the track is")
      }
      try await control { remote throws(RendererFailure) in try await remote.seek(toSecond: second) }
    } catch let failure as Failure where failure.status == .refused && status.state == .stopped {
      // Whatever the renderer calls it.
      throw Failure(.refused, "nothing is playing on \(name)")
    }
  }

  /// Sets the volume; returns what was asked for.
  func setVolume(_ target: VolumeTarget) async throws -> Int {
    var now = 0
    if case .relative = target { now = try await volume() }
    let maximum = await remote.loudest()
    let volume = target.volume(now: now, maximum: maximum)
    // OpenHome's devices take a larger one as the largest.
    if case .absolute = target, let maximum, volume > maximum {
      throw Failure(.usage, "there is no volume \(volume): the loudest here is \(maximum)")
    }
    guard services.contains(.volume) || UInt16(exactly: volume) != nil else {
      throw Failure(.usage, "there is no volume \(volume)")
    }
    try await control { remote throws(RendererFailure) in try await remote.setVolume(volume) }
    return volume
  }
}
