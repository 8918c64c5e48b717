/// What OpenHome control points ask of the radio source (OpenHome Radio:2), and how a station is kept alive.
extension Turn {
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
    activate(.radio)
    guard state.radio.choose(media, id: id) else { return }
    halt()
    state.facts = TrackFacts()
    state.failure = nil
    state.radio.link = RadioLink()
    state.radio.content = media.uri.isEmpty ? .empty : content(for: media)
  }

  // MARK: Playing

  private mutating func playRadio() {
    activate(.radio)
    guard state.radio.channel != nil else { return }
    switch state.transport {
    case .loading, .resolving: run()
    case .playing where !state.isLive, .paused where !state.isLive, .buffering where !state.isLive: run()
    case .stopped, .playing, .paused, .buffering, .reconnecting: connect()
    }
  }

  /// Begins anew, as if nothing had gone wrong before.
  private mutating func connect() {
    state.failure = nil
    state.radio.link = RadioLink()
    begin(.playing, at: state.isLive ? .zero : state.anchor.position)
  }

  // MARK: Losing the station

  /// The station has broken off, or can't be opened: another of its addresses is tried, then, when it was there
  /// before, all of them again after a while.
  mutating func stationFailed(_ failure: PlaybackFailure) {
    guard let station = state.radio.channel, let target = state.transport.continuation else { return }
    if failure.kind == .device {
      report(.failed(station, failure))
      halt(because: failure)
    } else if lookInside(because: failure, target) {
      return
    } else if let entry = state.radio.content.track, state.radio.tryNextEntry() {
      report(.skipped(entry, failure))
      begin(target)
    } else if target == .playing, isLost(because: failure),
      state.radio.link.losses < state.configuration.reconnectAttempts
    {
      waitForStation(failure)
    } else {
      report(.failed(station, failure))
      halt(because: failure)
      // The next Play reads a list anew: the addresses in it may have become others.
      if case .tracks(let list) = state.radio.content, list.isContainer {
        state.radio.content = .unresolved(list.media)
      }
    }
  }

  /// The station was there and is no longer: heard, or broken off while its first sound was being gathered. One whose sound
  /// can't be played isn't lost, it is of no use.
  private func isLost(because failure: PlaybackFailure) -> Bool {
    state.radio.link.wasHeard || (state.radio.link.hasSent && !failure.isOfContent)
  }

  /// What isn't sound may be a list of addresses whose name doesn't say so.
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
    let time = Self.backOff(after: state.radio.link.losses)
    state.radio.link.losses += 1
    state.radio.link.failedEntries = 0
    report(.lost(station, failure, attempt: state.radio.link.losses, after: time))
    silence()
    state.transport = .reconnecting(wake(after: time))
    state.anchor = PositionAnchor(position: position, instant: now)
  }

  /// 1, 2, 4 … seconds, half a minute at most.
  private static func backOff(after losses: Int) -> Duration { .seconds(min(1 << min(losses, 5), 30)) }

  /// The time has come to connect again. A list is read anew: the addresses in it may have become others.
  mutating func reconnect(_ id: WakeID) {
    guard case .reconnecting(id) = state.transport else { return }
    if case .tracks(let list) = state.radio.content, list.isContainer {
      state.radio.content = content(for: list.media, lookingInside: true)
    }
    begin(.playing, at: state.anchor.position)
  }
}
