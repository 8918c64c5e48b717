import Player
import UPnP

/// What AVTransport:1 shows of the player's state at one instant.
struct AVTransportView: AVTransport1.View {
  let state: PlayerState
  let now: PlayerInstant

  // MARK: Transport

  var transportState: AVTransport1.TransportState {
    switch state.avTransportState {
    case .noMediaPresent: .noMediaPresent
    case .stopped: .stopped
    case .transitioning: .transitioning
    case .playing: .playing
    case .pausedPlayback: .pausedPlayback
    }
  }

  var transportStatus: AVTransport1.TransportStatus {
    isActive && state.failure != nil ? .errorOccurred : .ok
  }
  var transportPlaySpeed: AVTransport1.TransportPlaySpeed { ._1 }
  var currentPlayMode: AVTransport1.CurrentPlayMode { AVTransport1.CurrentPlayMode(state.av.playMode) }

  var currentTransportActions: String {
    let available = state.availableActions
    return TransportAction.allCases.filter(available.contains).map(\.wireName).joined(separator: ",")
  }

  // MARK: Media

  var playbackStorageMedium: AVTransport1.PlaybackStorageMedium { state.av.isEmpty ? .none : .network }
  var possiblePlaybackStorageMedia: String { AVTransport1.PlaybackStorageMedium.network.rawValue }
  var numberOfTracks: UInt32 { UInt32(clamping: state.av.numberOfTracks) }
  var avTransportURI: String { state.av.media?.uri ?? "" }
  var avTransportURIMetaData: String { state.av.media?.metadata ?? "" }
  var nextAVTransportURI: String { state.av.nextMedia?.uri ?? "" }
  var nextAVTransportURIMetaData: String { state.av.nextMedia?.metadata ?? "" }

  // MARK: Track

  var currentTrack: UInt32 { UInt32(clamping: state.av.trackNumber) }
  var currentTrackURI: String { state.av.track?.uri ?? "" }
  /// What the control point sent; of a station its song, and of a file that came without metadata what its tags say.
  var currentTrackMetaData: String {
    guard let track = state.av.track else { return "" }
    let tagged = track.metadata.isEmpty ? state.facts.tags?.song : nil
    guard isActive, let song = state.metatext ?? tagged else { return track.metadata }
    return DIDLWriter.metadata(of: track, song: song)
  }
  var currentTrackDuration: String { ClockTime.text(isActive ? state.duration ?? .zero : .zero) }
  /// Of a container only its tracks have a length.
  var currentMediaDuration: String {
    state.av.numberOfTracks > 1 ? ClockTime.text(.zero) : currentTrackDuration
  }
  var relativeTimePosition: String { ClockTime.text(isActive ? state.position(at: now) : .zero) }
  var absoluteTimePosition: String { relativeTimePosition }

  // MARK: What a renderer doesn't have

  /// The value that stands for "not implemented" in the counters (AVTransport:1, "RelativeCounterPosition").
  private static let noCounter = Int32.max
  private static let notImplemented = "NOT_IMPLEMENTED"

  var relativeCounterPosition: Int32 { Self.noCounter }
  var absoluteCounterPosition: Int32 { Self.noCounter }
  var recordStorageMedium: AVTransport1.RecordStorageMedium { .notImplemented }
  var possibleRecordStorageMedia: String { Self.notImplemented }
  var recordMediumWriteStatus: AVTransport1.RecordMediumWriteStatus { .notImplemented }
  var currentRecordQualityMode: AVTransport1.CurrentRecordQualityMode { .notImplemented }
  var possibleRecordQualityModes: String { Self.notImplemented }

  private var isActive: Bool { state.activeSource == .upnpAV }
}

extension TransportAction {
  /// AVTransport:1, "CurrentTransportActions".
  fileprivate var wireName: String {
    switch self {
    case .play: "Play"
    case .pause: "Pause"
    case .stop: "Stop"
    case .seek: "Seek"
    case .next: "Next"
    case .previous: "Previous"
    }
  }
}

extension AVTransport1.CurrentPlayMode {
  init(_ mode: PlayMode) {
    self =
      switch mode {
      case .normal: .normal
      case .shuffle: .shuffle
      case .repeatOne: .repeatOne
      case .repeatAll: .repeatAll
      }
  }

  var ofPlayer: PlayMode {
    switch self {
    case .normal: .normal
    case .shuffle: .shuffle
    case .repeatOne: .repeatOne
    case .repeatAll: .repeatAll
    }
  }
}
