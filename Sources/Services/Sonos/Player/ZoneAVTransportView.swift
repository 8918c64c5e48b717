import DIDLLite
import Player
import UPnP

/// The view of a zone's AVTransport:1 on the player's state at one instant.
struct ZoneAVTransportView: ZoneAVTransport1.View {
  let state: PlayerState
  let now: PlayerInstant
  let queueURI: String
  /// The zone that this one plays with; nil when it plays by itself.
  let coordinator: String?

  private static let notImplemented = "NOT_IMPLEMENTED"

  private var isQueue: Bool { state.activeSource == .playlist }
  private var isStation: Bool { state.activeSource == .radio }
  private var chosen: Media? { state.zoneChosen }

  // MARK: Transport

  /// A member says that it plays, whatever its coordinator does.
  var transportState: ZoneAVTransport1.TransportState {
    guard coordinator == nil else { return .playing }
    return switch state.phase {
    case .stopped: .stopped
    // A controller that has paused sees that at once, however long the sound takes.
    case .buffering: state.transport.continuation == .paused ? .pausedPlayback : .transitioning
    case .playing: .playing
    case .paused: .pausedPlayback
    }
  }
  var transportStatus: String { state.failure == nil ? "OK" : "ERROR_OCCURRED" }
  var transportPlaySpeed: ZoneAVTransport1.TransportPlaySpeed { ._1 }
  var currentPlayMode: ZoneAVTransport1.CurrentPlayMode { .init(state.playlist.zoneMode) }
  var currentCrossfadeMode: Bool { state.zone.settings.crossfades }

  var currentTransportActions: String {
    guard coordinator == nil else { return "Start, Stop" }
    return switch state.activeSource {
    case .playlist: "Set, Stop, Pause, Play, X_DLNA_SeekTime, Next, Previous, X_DLNA_SeekTrackNr"
    case .upnpAV where !state.isLive: "Set, Stop, Pause, Play, X_DLNA_SeekTime"
    case .upnpAV, .radio, .receiver: "Set, Stop, Play"
    }
  }

  /// What a controller may choose for the queue.
  private var validPlayModes: String { isQueue ? "SHUFFLE,REPEAT,REPEATONE,CROSSFADE" : "" }

  // MARK: Media

  var playbackStorageMedium: ZoneAVTransport1.PlaybackStorageMedium {
    isQueue || chosen != nil ? .network : .none
  }
  var possiblePlaybackStorageMedia: String { "NONE, NETWORK" }

  var numberOfTracks: UInt32 {
    isQueue ? UInt32(clamping: state.playlist.tracks.count) : chosen == nil ? 0 : 1
  }

  /// As the controller has set it.
  var avTransportURI: String {
    if let coordinator { return ZoneURI.group(coordinator) }
    guard !isQueue else { return queueURI }
    guard let chosen else { return "" }
    return state.zoneMedia?.uri ?? (isStation ? ZoneURI.station(chosen.uri) : chosen.uri)
  }

  var avTransportURIMetaData: String {
    guard coordinator == nil, !isQueue, let chosen else { return "" }
    let sent = ZoneDIDL.readable(state.zoneMedia?.metadata ?? chosen.metadata)
    return sent.isEmpty && isStation ? ZoneDIDL.stationMetadata(chosen) : sent
  }

  var nextAVTransportURI: String { state.zoneNext?.uri ?? "" }
  var nextAVTransportURIMetaData: String { ZoneDIDL.readable(state.zoneNext?.metadata ?? "") }

  /// What filled the queue; else what plays.
  private var enqueued: (uri: String, metadata: String) {
    guard isQueue else { return (avTransportURI, avTransportURIMetaData) }
    return state.zone.filler.map { ($0.uri, ZoneDIDL.readable($0.metadata)) } ?? (queueURI, "")
  }

  // MARK: Track

  var currentTrack: UInt32 { UInt32(clamping: state.zoneTrackNumber) }
  private var track: Media? { state.currentTrack }

  var currentTrackURI: String {
    if let coordinator { return ZoneURI.group(coordinator) }
    guard let track else { return "" }
    // Of a list, the track that plays.
    return isQueue || track.uri != chosen?.uri && !isStation ? track.uri : avTransportURI
  }

  var currentTrackMetaData: String {
    guard coordinator == nil, let track else { return "" }
    guard !isStation else {
      return ZoneDIDL.document(
        ZoneDIDL.playing(station: chosen ?? track, uri: avTransportURI, content: streamContent))
    }
    return ZoneDIDL.document(
      ZoneDIDL.track(
        track, id: "-1", parent: "-1", duration: state.duration,
        tags: state.metatext ?? state.facts.tags))
  }

  private var streamContent: String {
    if state.phase == .buffering { return "ZPSTR_CONNECTING" }
    guard state.phase != .stopped, let song = state.metatext else { return "" }
    return [song.artist, song.title].compactMap(\.self).joined(separator: " - ")
  }

  private var next: Media? { isQueue || state.activeSource == .upnpAV ? state.nextTrack : nil }

  private var hasNoTime: Bool { isStation || coordinator != nil }
  var currentTrackDuration: String { ClockTime.text(hasNoTime ? .zero : state.duration ?? .zero) }
  var currentMediaDuration: String { Self.notImplemented }
  var relativeTimePosition: String { ClockTime.text(hasNoTime ? .zero : state.position(at: now)) }

  // MARK: Not supported

  private static let noCounter = Int32.max

  var absoluteTimePosition: String { Self.notImplemented }
  var relativeCounterPosition: Int32 { Self.noCounter }
  var absoluteCounterPosition: Int32 { Self.noCounter }
  var recordStorageMedium: ZoneAVTransport1.RecordStorageMedium { .notImplemented }
  var possibleRecordStorageMedia: String { Self.notImplemented }
  var recordMediumWriteStatus: String { Self.notImplemented }
  var currentRecordQualityMode: String { Self.notImplemented }
  var possibleRecordQualityModes: String { Self.notImplemented }

  // MARK: Events

  /// Everything, in the order of real devices: controllers miss what isn't there.
  var eventedValues: [EventedValue] {
    let (uri, metadata, enqueued) = (avTransportURI, avTransportURIMetaData, enqueued)
    let nextTrack = next.map { ($0.uri, ZoneDIDL.document(ZoneDIDL.track($0, id: "-1", parent: "-1"))) }
    let values: [(String, String)] = [
      ("TransportState", transportState.wire), ("CurrentPlayMode", currentPlayMode.wire),
      ("CurrentCrossfadeMode", currentCrossfadeMode.wire), ("NumberOfTracks", numberOfTracks.wire),
      ("CurrentTrack", currentTrack.wire), ("CurrentSection", "0"), ("CurrentTrackURI", currentTrackURI),
      ("CurrentTrackDuration", currentTrackDuration), ("CurrentTrackMetaData", currentTrackMetaData),
      ("r:NextTrackURI", nextTrack?.0 ?? ""), ("r:NextTrackMetaData", nextTrack?.1 ?? ""),
      ("r:EnqueuedTransportURI", enqueued.uri), ("r:EnqueuedTransportURIMetaData", enqueued.metadata),
      ("PlaybackStorageMedium", "NETWORK"), ("AVTransportURI", uri), ("AVTransportURIMetaData", metadata),
      ("NextAVTransportURI", nextAVTransportURI), ("NextAVTransportURIMetaData", nextAVTransportURIMetaData),
      ("CurrentTransportActions", currentTransportActions), ("r:CurrentValidPlayModes", validPlayModes),
      ("r:MuseSessions", ""), ("r:DirectControlClientID", ""), ("r:DirectControlIsSuspended", "0"),
      ("r:DirectControlAccountID", ""), ("TransportStatus", transportStatus),
      ("r:SleepTimerGeneration", state.zone.sleep.generation.wire), ("r:AlarmRunning", "0"),
      ("r:SnoozeRunning", "0"), ("r:RestartPending", "0"), ("TransportPlaySpeed", Self.notImplemented),
      ("CurrentMediaDuration", Self.notImplemented), ("RecordStorageMedium", Self.notImplemented),
      ("PossiblePlaybackStorageMedia", possiblePlaybackStorageMedia),
      ("PossibleRecordStorageMedia", Self.notImplemented), ("RecordMediumWriteStatus", Self.notImplemented),
      ("CurrentRecordQualityMode", Self.notImplemented), ("PossibleRecordQualityModes", Self.notImplemented),
    ]
    return values.map { EventedValue(name: $0, value: $1) }
  }
}

extension ZoneAVTransport1.CurrentPlayMode {
  init(_ mode: ZonePlayMode) {
    switch (mode.repeats, mode.shuffles) {
    case (.none, false): self = .normal
    case (.all, false): self = .repeatAll
    case (.one, false): self = .repeatOne
    case (.none, true): self = .shuffleNorepeat
    case (.all, true): self = .shuffle
    case (.one, true): self = .shuffleRepeatOne
    }
  }

  var ofZone: ZonePlayMode {
    switch self {
    case .normal: ZonePlayMode(repeats: .none, shuffles: false)
    case .repeatAll: ZonePlayMode(repeats: .all, shuffles: false)
    case .repeatOne: ZonePlayMode(repeats: .one, shuffles: false)
    case .shuffleNorepeat: ZonePlayMode(repeats: .none, shuffles: true)
    case .shuffle: ZonePlayMode(repeats: .all, shuffles: true)
    case .shuffleRepeatOne: ZonePlayMode(repeats: .one, shuffles: true)
    }
  }
}
