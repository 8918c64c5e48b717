import CGStreamer
import Logging
import Player

/// Doing what the ``EngineMachine`` decides.
extension EngineParts {
  /// Carries `action` out. Returns what it has led to, if the machine wants to know.
  func perform(_ action: EngineAction) -> ActionResult? {
    switch action {
    case .make(let new): return make(new)
    case .track(let serial, let action):
      guard let track = tracks[serial] else { return nil }
      return perform(action, on: track)
    case .device(.open(let kind)): return open(kind)
    case .device(let action):
      guard let device else { return nil }
      return perform(action, on: device)
    case .timeline(let action): return perform(action)
    case .makeSpare(let format): spare = SparePipeline(format: format, configuration: configuration)
    case .dropSpare: spare = nil
    case .watch: return watchForDevices()
    case .endWatch: watch = nil
    case .findDevice: return .deviceFound(AutoSink.findsDevice)
    case .measure(let serial): level.follow(serial.map { (tracks[$0]?.readAhead, timeline) })
    case .trimMemory: malloc_trim(0)
    case .emit(let event): onEvent(event)
    case .log(let line): log(line)
    }
    return nil
  }

  private func make(_ new: NewTrack) -> ActionResult {
    defer { if spare?.isUsed == true { spare = nil } }
    do throws(PlaybackFailure) {
      tracks[new.serial] = try Track(
        new, spare: spare, configuration: configuration, timeline: timeline, rooms: rooms,
        mailbox: mailbox, notify: notify)
      return .made(new)
    } catch {
      return .notMade(new, error)
    }
  }

  private func perform(_ action: TrackAction, on track: Track) -> ActionResult? {
    switch action {
    case .run: track.run()
    case .prepare: track.prepare()
    case .claim(let id): track.feed.claim(id.value)
    case .carryOn: track.carryOn()
    case .cancel: track.feed.cancel()
    case .dispose:
      tracks[track.serial] = nil
      track.dispose()
    case .readOn(let bitRate): track.readOn(ahead: configuration.buffer, bitRate: bitRate)
    case .seek(let position):
      let seek = track.seek(to: position)
      return .sought(track.serial, epoch: seek.epoch, isAccepted: seek.isAccepted)
    case .skip(let position): track.feed.skip(to: position)
    case .flush: track.feed.flush()
    case .loseDevice: track.feed.loseDevice()
    case .convert(let format): track.convert(to: format)
    case .beginReading(let layout, let length):
      track.reading?.begins(layout, length: length, patience: configuration.networkTimeout) {
        [location = track.location, configuration] in
        TrackSource.make(location, configuration: configuration)
      }
    case .endReading(let finding): track.reading?.ends(finding)
    case .goOnReading(let offset, let epoch): track.reading?.goOn(at: offset, epoch: epoch)
    case .takeServerFaults: return .serverFaults(track.serial, ServerFaults(of: track.uri))
    }
    return nil
  }

  private func open(_ kind: DeviceKind) -> ActionResult {
    let isStandIn = if case .standIn = kind { true } else { false }
    do throws(SinkProblem) {
      let device = try Device(
        choice: choice(), isStandIn: isStandIn,
        session: Session(
          latency: DeviceBuffering(buffer: configuration.deviceBuffer, period: configuration.devicePeriod)),
        timeline: timeline, clock: rooms.clock, bus: deviceBus, mailbox: mailbox,
        mapping: configuration.channels,
        quality: configuration.resampler, rates: configuration.rates, notify: notify)
      self.device = device
      return .opened(kind, keepsFormat: device.keepsFormat)
    } catch {
      return .notOpened(kind, error)
    }
  }

  private func choice() throws(SinkProblem) -> SinkChoice {
    do throws(PlaybackFailure) {
      return try SinkChoice(name: configuration.output)
    } catch {
      throw .wrong(error)
    }
  }

  private func perform(_ action: DeviceAction, on device: Device) -> ActionResult? {
    switch action {
    case .open: break
    case .close: self.device = nil
    case .run(let isPaused, let reportsRefusal):
      if !device.run(paused: isPaused), reportsRefusal { return .deviceRefused }
    case .hold: device.hold()
    case .halt: device.halt()
    case .flush: device.flush()
    case .end:
      rooms.tap.end()
      device.end()
    case .ended: device.hasEnded = true
    case .closeEntry: device.source.close { [tap = rooms.tap] in tap.fadeOut(after: $0) }
    case .openEntry:
      rooms.tap.fadeIn()
      device.source.open()
    case .setGain(let left, let right): device.source.setGain(left: left, right: right)
    case .restartClock: device.restartClock()
    }
    return nil
  }

  private func perform(_ action: TimelineAction) -> ActionResult? {
    switch action {
    case .grant(let serial): timeline.grant(serial)
    case .begin(let forgetFormat): timeline.reset(entry: device?.source, forgetFormat: forgetFormat)
    case .detach: timeline.reset(entry: nil, forgetFormat: true)
    case .refill: timeline.refill()
    case .endRefilling: timeline.endRefilling()
    case .leadIn:
      let silence = timeline.leadIn()
      return .ledIn(at: silence.running, silence.length)
    }
    return nil
  }

  private func watchForDevices() -> ActionResult {
    let watch =
      watch
      ?? DeviceWatch(.here(nodes: configuration.deviceNodes)) { [mailbox] in
        mailbox.post(.notice(.deviceMayHaveAppeared))
      }
    self.watch = watch
    watch.listen()
    return .watching(isComplete: watch.isComplete)
  }

  private func log(_ line: EngineLogLine) {
    let level: Logger.Level =
      switch line.level {
      case .debug: .debug
      case .info: .info
      case .notice: .notice
      case .warning: .warning
      }
    logger.log(
      level: level, "\(line.text)", metadata: line.play.map { ["play": "\($0)"] }, file: line.file,
      line: line.line)
  }
}
