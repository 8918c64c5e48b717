/// Commands of the radio source (OpenHome Radio:2), and how a station is kept alive.
extension Transition {
  mutating func perform(_ command: RadioCommand) throws(PlayerError) {
    switch command {
    case .setPresets(let presets): state.radio.setPresets(presets)
    case .refreshPresets: refreshPresets()
    case .setChannel(let media): choose(media, id: 0)
    case .setID(let id, let uri):
      guard var media = state.radio.preset(id)?.media else { throw .invalidChannel }
      if !uri.isEmpty { media.uri = uri }
      choose(media, id: id)
    case .play: playRadio()
    case .pause: if isActive { state.isLive ? halt() : hold() }
    case .stop: if isActive { halt() }
    case .seek(let position): if isActive { try seekAndRun(to: position) }
    case .skip(let distance): if isActive { try seekAndRun(by: distance) }
    }
  }

  private var isActive: Bool { state.isActive(.radio) }

  // MARK: Choosing

  private mutating func choose(_ media: Media, id: UInt32) {
    // Another source plays on until Play.
    if state.transport == .stopped || state.activeSource == .radio {
      activate(.radio)
    } else {
      state.awaitedSource = media.uri.isEmpty ? nil : .radio
    }
    guard state.radio.choose(media, id: id) else { return }
    state.radio.link = RadioLink()
    state.radio.content = media.uri.isEmpty ? .empty : content(for: media)
    guard state.activeSource == .radio else { return }
    halt()
    state.facts = TrackFacts()
    state.failure = nil
  }

  // MARK: Playing

  private mutating func playRadio() {
    activate(.radio)
    guard state.radio.channel != nil else { return }
    switch state.transport {
    case .loading, .resolving: run()
    case .suspended: run()
    case .playing where !state.isLive, .paused where !state.isLive, .buffering where !state.isLive: run()
    case .stopped, .playing, .paused, .buffering, .reconnecting: connect()
    }
  }

  /// Connects without regard to earlier failures.
  private mutating func connect() {
    state.failure = nil
    state.radio.link = RadioLink()
    begin(.playing, at: state.isLive ? .zero : state.anchor.position)
  }

  // MARK: Losing the station

  /// Handles the loss of the station, or a failure to open it. Another of its addresses is tried first; then,
  /// when the station had worked before, all of them again after a pause.
  mutating func stationFailed(_ failure: PlaybackFailure) {
    guard let station = state.radio.channel, let target = state.transport.continuation else { return }
    if wasSteady(until: failure) { state.radio.link = RadioLink(wasHeard: true) }
    var failure = failure
    if failure.kind == .device {
      report(.failed(station, failure))
      halt(because: failure)
    } else if lookInside(because: failure, target) {
      return
    } else if tryNextEntry(&failure, target) {
      return
    } else if target == .playing, isLost(because: failure),
      state.radio.link.losses < state.configuration.reconnectAttempts
    {
      waitForStation(failure)
    } else {
      report(.failed(station, failure))
      halt(because: failure)
      // The next Play reads a list again: its addresses may have changed.
      if case .tracks(let list) = state.radio.content, list.isContainer {
        state.radio.content = .unresolved(list.media)
      }
    }
  }

  /// Tries another of the station's addresses soon. Returns false when there is none, or when enough were
  /// tried; `failure` then says so.
  private mutating func tryNextEntry(_ failure: inout PlaybackFailure, _ target: Transport.Target) -> Bool {
    guard let entry = state.radio.content.track, state.radio.hasNextEntry else { return false }
    guard case .next(let pause) = state.radio.link.tries.failed(now: now),
      pause == .zero || target == .playing
    else {
      failure = PlaybackFailure(
        failure.kind,
        "\(state.radio.link.tries.failures) addresses of the list were tried in vain, one after the other; the rest are left alone. The last: \(failure.message)"
      )
      return false
    }
    report(.skipped(entry, failure))
    state.radio.takeNextEntry()
    if pause > .zero { beginLater(after: pause) } else { begin(target) }
    return true
  }

  /// True when the station had worked: it was heard, or was interrupted while its first data was being
  /// buffered. A station whose content can't be played doesn't count.
  private func isLost(because failure: PlaybackFailure) -> Bool {
    state.radio.link.wasHeard || (state.radio.link.hasSent && !failure.isOfContent)
  }

  /// Reads the resource as a list of addresses when it isn't audio, although its name doesn't say that it is
  /// a list.
  private mutating func lookInside(because failure: PlaybackFailure, _ target: Transport.Target) -> Bool {
    let link = state.radio.link
    guard failure.kind == .unsupportedFormat, !link.wasHeard, !link.hasSent, !link.lookedInside,
      case .tracks(let list) = state.radio.content, !list.isContainer
    else { return false }
    state.radio.link.lookedInside = true
    state.radio.content = content(for: list.media, lookingInside: true)
    begin(target)
    return true
  }

  private mutating func waitForStation(_ failure: PlaybackFailure) {
    guard let station = state.radio.channel else { return }
    let position = state.isLive ? .zero : state.position(at: now)
    let time = BackOff.pause(after: state.radio.link.losses, most: 30)
    state.radio.link.losses += 1
    state.radio.link.failedEntries = 0
    state.radio.link.tries = StationAttempts()
    report(.lost(station, failure, attempt: state.radio.link.losses, after: time))
    silence()
    state.transport = .reconnecting(wake(after: time))
    state.anchor = PositionAnchor(position: position, instant: now)
  }

  /// Reads a list again before a reconnection: its addresses may have changed.
  mutating func readStationAgain() {
    guard case .tracks(let list) = state.radio.content, list.isContainer else { return }
    state.radio.content = content(for: list.media, lookingInside: true)
  }
}
