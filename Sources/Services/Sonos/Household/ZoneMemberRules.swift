import UPnP

/// What a zone that plays with another one refuses: whoever wants that has to tell the coordinator.
enum ZoneMemberRules {
  private static let transport: [String: UPnPError] = {
    let refused = [
      "SetNextAVTransportURI", "Play", "Pause", "Stop", "Next", "Previous", "AddURIToQueue",
      "AddMultipleURIsToQueue", "ReorderTracksInQueue", "RemoveTrackFromQueue", "RemoveTrackRangeFromQueue",
      "RemoveAllTracksFromQueue", "SaveQueue", "SetCrossfadeMode", "ConfigureSleepTimer",
      "DelegateGroupCoordinationTo",
    ]
    var faults = Dictionary(uniqueKeysWithValues: refused.map { ($0, UPnPError.zoneNoCoordinator) })
    faults["Seek"] = UPnPError(.transitionNotAvailable)
    faults["SetPlayMode"] = UPnPError(.playModeNotSupported)
    return faults
  }()

  /// Actions of Queue that change the queue.
  static let queue: Set<String> = [
    "AddURI", "RemoveAllTracks", "RemoveTrackRange", "ReorderTracks", "SaveAsSonosPlaylist",
  ]

  /// The fault of an action of AVTransport at a member; nil for one that it carries out.
  static func refusal(_ action: String) -> UPnPError? { transport[action] }
}

extension UPnPError {
  static let zoneNoCoordinator = UPnPError(
    code: 800, description: "This zone isn't the coordinator of its group")
  static let zoneGroupOnly = UPnPError(code: 701, description: "This zone isn't the coordinator of its group")
  static let zoneCannotJoin = UPnPError(code: 701, description: "No zone that this one can listen to")
}
