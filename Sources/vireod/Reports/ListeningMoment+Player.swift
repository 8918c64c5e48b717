import DIDLLite
import Listening
import Player

extension ListeningMoment {
  /// What the player does at this moment.
  ///
  /// - Parameters:
  ///   - track: ``ReportedTrack/init(_:)`` of the same state.
  ///   - now: by the player's clock.
  init(_ state: PlayerState, track: ReportedTrack, at now: PlayerInstant) {
    self.init(
      phase: Phase(state), source: ReportSource(state.activeSource), start: state.counters.trackCount,
      connection: state.transport.playID?.value ?? 0, isStation: state.playsStation, track: track,
      position: state.position(at: now))
  }
}

extension ListeningMoment.Phase {
  init(_ state: PlayerState) {
    guard !state.isStandby, state.currentTrack != nil else {
      self = .stopped
      return
    }
    self =
      switch state.transport {
      case .stopped: .stopped
      case .playing: .playing
      case .paused, .suspended: .paused
      case .resolving, .loading, .buffering, .reconnecting: .waiting
      }
  }
}

extension ReportSource {
  init(_ source: SourceKind) {
    self =
      switch source {
      case .playlist: .playlist
      case .radio: .radio
      case .upnpAV: .upnpAV
      case .receiver: .receiver
      }
  }
}

extension PlayerState {
  /// Whether what plays has no end, and names its songs as it plays. Of another room's sound its sender says so.
  fileprivate var playsStation: Bool { activeSource == .receiver ? !streamText.isEmpty : isLive }
}

extension ReportedTrack {
  /// What the player plays, by its tags and metadata. Nothing of its address, and of another room only what that names.
  init(_ state: PlayerState) {
    let isReceiver = state.activeSource == .receiver
    let media = isReceiver ? state.receiver.streamTrack : state.currentTrack
    let sent = media.flatMap { DIDL.items($0.metadata).first }
    func shown(_ text: String?) -> String? {
      text.map { redacted(title: $0, of: media?.uri ?? "") }
    }
    if isReceiver, state.playsStation {
      let song = DIDL.items(state.streamText).first
      self.init(
        title: shown(song?.title), artist: shown(song?.artist), album: shown(song?.album),
        station: shown(sent?.title))
    } else if state.playsStation {
      let song = state.metatext
      self.init(
        title: shown(song?.title), artist: shown(song?.artist), album: shown(song?.album),
        station: shown(sent?.title ?? state.facts.tags?.station))
    } else {
      let tags = isReceiver ? nil : state.facts.tags
      self.init(
        title: shown(tags?.title ?? sent?.title), artist: shown(tags?.artist ?? sent?.artist),
        album: shown(tags?.album ?? sent?.album), number: tags?.ids?.number ?? sent?.trackNumber,
        duration: state.duration, ids: tags?.ids.map { MusicIDs($0) } ?? MusicIDs())
    }
  }

  /// What ``init(_:)`` depends on. Comparing it is cheaper than reading metadata.
  struct Key: Equatable {
    private let media: Media?
    private let tags: StreamTags?
    private let text: String
    private let isStation: Bool
    private let source: SourceKind
    private let duration: Duration?

    init(_ state: PlayerState) {
      source = state.activeSource
      media = source == .receiver ? state.receiver.streamTrack : state.currentTrack
      var tags = state.facts.tags
      tags?.picture = nil
      self.tags = tags
      text = state.streamText
      isStation = state.playsStation
      duration = state.duration
    }
  }
}

extension MusicIDs {
  init(_ ids: TrackIDs) {
    self.init(
      recording: ids.recording, release: ids.release, track: ids.track, artists: ids.artists, isrc: ids.isrc)
  }
}
