import Player

/// Reports on the sound device to the player and the log.
extension EngineMachine {
  /// Reports what the device is given now, if sound has reached it.
  mutating func reportPath() {
    guard phase == .playing || phase == .paused, let open = device, !open.isStandIn,
      let device = world.openDevice, let heard, let track = self[heard]
    else { return }
    let view = world.view(heard)
    guard let decoded = view?.decodedFormat ?? track.state.format, let delivered = device.delivered else {
      return
    }
    if device.isDummy {
      return reportDevice(
        .silent("PulseAudio has no sound device, only its dummy, so that nothing is heard. Connect one."))
    }
    var path = SoundPath(
      decoded: SampleFormat(decoded), delivered: SampleFormat(delivered), target: device.target)
    if open.keepsFormat { path.recordingRate = world.fill.format?.rate }
    let loudest = max(gain.left, gain.right)
    path.level = loudest == 0 ? .silent : loudest < 1 ? .reduced : .full
    path.hasBalance = gain.left != gain.right
    path.hasReplayGain = view?.changesLoudness == true
    if decoded.channels > 1, configuration.channels != .stereo {
      path.channelMapping = configuration.channels.rawValue
    }
    let isScaled = path.level == .reduced || path.hasBalance || path.hasReplayGain
    path.hasDither =
      !path.delivered.isFloat && path.level != .silent && (isScaled || path.channelMapping == "mono")
    let name = configuration.output == "auto" ? "auto (\(device.sinkName))" : configuration.output
    reportDevice(.open(name: name, path))
  }

  /// Reports to the player and the log if something has changed.
  ///
  /// - Parameter reason: GStreamer's reason, for the log.
  mutating func reportDevice(_ report: DeviceReport, _ reason: String = "") {
    guard let lines = reporter.tell(report, reason) else { return }
    emit(.device(report))
    // The log counts lines by their place in the code, so that each kind has its own.
    for line in lines {
      switch line {
      case .stillAway(let text): log(.debug, text)
      case .away(let text): log(.warning, text)
      case .silent(let text): log(.warning, text)
      case .isBack(let text): log(.notice, text)
      case .path(let text, true): log(.debug, text)
      case .path(let text, false): log(.info, text)
      }
    }
  }
}

extension SampleFormat {
  init(_ format: StreamFormat) {
    self.init(
      name: format.sample, depth: format.depth, isFloat: format.sample.hasPrefix("F"), rate: format.rate,
      channels: format.channels)
  }
}
