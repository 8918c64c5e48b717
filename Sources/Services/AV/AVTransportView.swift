import DIDLLite
import Player
import UPnP

/// The view of AVTransport:1 on the player's state at one instant: the cast, or another source that plays.
struct AVTransportView: AVTransport1.View {
  let state: PlayerState
  let now: PlayerInstant
  let metadata: ShownMetadata

  // MARK: Transport

  var transportState: AVTransport1.TransportState { .init(state.avTransportState) }
  var transportStatus: AVTransport1.TransportStatus { state.avFailure == nil ? .ok : .errorOccurred }
  var transportPlaySpeed: AVTransport1.TransportPlaySpeed { ._1 }
  var currentPlayMode: AVTransport1.CurrentPlayMode { AVTransport1.CurrentPlayMode(state.av.playMode) }

  var currentTransportActions: String {
    let available = state.availableActions
    return TransportAction.allCases.filter(available.contains).map(\.wireName).joined(separator: ",")
  }

  // MARK: Media

  var playbackStorageMedium: AVTransport1.PlaybackStorageMedium { state.avShown == nil ? .none : .network }
  var possiblePlaybackStorageMedia: String { AVTransport1.PlaybackStorageMedium.network.rawValue }
  var numberOfTracks: UInt32 { UInt32(clamping: state.avNumberOfTracks) }
  var avTransportURI: String { state.avMedia?.uri ?? "" }
  var avTransportURIMetaData: String { state.avMedia?.metadata ?? "" }
  var nextAVTransportURI: String { state.avNextMedia?.uri ?? "" }
  var nextAVTransportURIMetaData: String { state.avNextMedia?.metadata ?? "" }

  // MARK: Track

  var currentTrack: UInt32 { UInt32(clamping: state.avTrackNumber) }
  var currentTrackURI: String { state.avTrack?.uri ?? "" }
  /// The metadata from the control point; for a station its song, and for a file without metadata its tags.
  var currentTrackMetaData: String {
    guard let track = state.avTrack else { return "" }
    if let song = state.avMetatext { return metadata.text(of: track, isStation: false, song: song) }
    guard track.metadata.isEmpty, let tags = state.avTags?.song else { return track.metadata }
    return DIDLWriter.metadata(of: track, song: tags, upnpClass: DIDLWriter.trackClass)
  }
  var currentTrackDuration: String { ClockTime.text(state.avDuration ?? .zero) }
  /// 0 for a container: only its tracks have a duration.
  var currentMediaDuration: String {
    state.avNumberOfTracks > 1 ? ClockTime.text(.zero) : currentTrackDuration
  }
  var relativeTimePosition: String { ClockTime.text(state.avPosition(at: now)) }
  var absoluteTimePosition: String { relativeTimePosition }

  // MARK: Not supported by a renderer

  /// The value of a counter that isn't implemented (AVTransport:1, "RelativeCounterPosition").
  private static let noCounter = Int32.max
  private static let notImplemented = "NOT_IMPLEMENTED"

  var relativeCounterPosition: Int32 { Self.noCounter }
  var absoluteCounterPosition: Int32 { Self.noCounter }
  var recordStorageMedium: AVTransport1.RecordStorageMedium { .notImplemented }
  var possibleRecordStorageMedia: String { Self.notImplemented }
  var recordMediumWriteStatus: AVTransport1.RecordMediumWriteStatus { .notImplemented }
  var currentRecordQualityMode: AVTransport1.CurrentRecordQualityMode { .notImplemented }
  var possibleRecordQualityModes: String { Self.notImplemented }
}

extension TransportAction {
  /// The name in AVTransport:1, "CurrentTransportActions", with DLNA's additions: DLNA control points offer
  /// seeking only with them. The one for seeking by bytes is missing because that isn't supported.
  fileprivate var wireName: String {
    switch self {
    case .play: "Play"
    case .pause: "Pause"
    case .stop: "Stop"
    case .seek: "Seek,X_DLNA_SeekTime"
    case .next: "Next"
    case .previous: "Previous"
    case .seekTrack: "X_DLNA_SeekTrackNr"
    }
  }
}
