import CGStreamer
import Player

/// Reports on the sound device to the player and the log.
extension Engine {
  /// Reports what the device is given now, if sound has reached it.
  func reportPath() {
    guard phase == .playing || phase == .paused, let device, !device.isStandIn, let heard,
      let decoded = heard.trim.decodedFormat ?? heard.state.format, let delivered = device.delivered
    else { return }
    if device.isDummy {
      return reportDevice(
        .silent("PulseAudio has no sound device, only its dummy, so that nothing is heard. Connect one."))
    }
    var path = SoundPath(
      decoded: SampleFormat(decoded), delivered: SampleFormat(delivered), target: device.target)
    if device.keepsFormat { path.recordingRate = timeline.fill.format?.rate }
    let loudest = max(gain.left, gain.right)
    path.level = loudest == 0 ? .silent : loudest < 1 ? .reduced : .full
    path.hasBalance = gain.left != gain.right
    path.hasReplayGain = heard.feed.changesLoudness
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
  func reportDevice(_ report: DeviceReport, _ reason: String = "") {
    let before = deviceReport
    guard report != before else { return }
    deviceReport = report
    emit(.device(report))
    switch report {
    case .closed: break
    case .away(let text):
      if case .away = before {
        logger.debug("The sound device \(configuration.output) still can't be used: \(reason).")
      } else {
        logger.warning("\(text)")
      }
    case .silent(let text):
      if !hasToldSilence { logger.warning("\(text)\(reason.isEmpty ? "" : " (\(reason))")") }
      hasToldSilence = true
    case .open(let name, let path):
      hasToldSilence = false
      switch before {
      case .away, .silent: logger.notice("The sound device \(name) is there; the sound goes on.")
      case .closed, .open: break
      }
      log(path, name, before)
    }
  }

  /// A change that only the volume caused isn't worth a line at level info.
  private func log(_ path: SoundPath, _ name: String, _ before: DeviceReport) {
    if case .open(name, let old) = before, old.decoded == path.decoded, old.delivered == path.delivered {
      logger.debug("The sound device \(name): \(path.text).")
    } else {
      logger.info("The sound device \(name): \(path.text).")
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
