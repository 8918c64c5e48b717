import Logging
import Player
import UPnP

/// The actions of AVTransport:1 that change something, for one caller.
struct AVTransportCommands: AVTransport1.Commands {
  let player: PlayerCore
  let logger: Logger
  let context: ActionContext

  private var log: CastLog { CastLog(logger: logger, context: context) }

  func setAVTransportURI(currentURI: String, currentURIMetaData: String) throws(UPnPError) {
    let media = media(currentURI, currentURIMetaData)
    try player.change(.setAVURI(media))
    log("casts", media)
  }

  func setNextAVTransportURI(nextURI: String, nextURIMetaData: String) throws(UPnPError) {
    let media = media(nextURI, nextURIMetaData)
    try player.change(.setNextAVURI(media))
    log("queues", media)
  }

  func play(speed: AVTransport1.TransportPlaySpeed) throws(UPnPError) { try player.change(.play) }
  func pause() throws(UPnPError) { try player.change(.pause) }
  func stop() throws(UPnPError) { try player.change(.stop) }
  func next() throws(UPnPError) { try player.change(.next) }
  func previous() throws(UPnPError) { try player.change(.previous) }

  func setPlayMode(newPlayMode: AVTransport1.CurrentPlayMode) throws(UPnPError) {
    try player.change(.setPlayMode(newPlayMode.ofPlayer))
  }

  /// REL_TIME is a position within the track, as every control point means it; of a single track that is the same
  /// as ABS_TIME. The state is looked at before the target (701, then 711).
  func seek(unit: AVTransport1.SeekMode, target: String) throws(UPnPError) {
    guard !player.stateNow.av.isEmpty else { throw UPnPError(.transitionNotAvailable) }
    switch unit {
    case .relTime, .absTime:
      guard let position = ClockTime.duration(target) else { throw UPnPError(.illegalSeekTarget) }
      try player.change(.seek(to: position))
    case .trackNr:
      guard let number = UInt32(wire: target) else { throw UPnPError(.illegalSeekTarget) }
      try player.change(.seekTrack(Int(number)))
    }
  }

  /// nil for an empty URI, which clears.
  private func media(_ uri: String, _ metadata: String) -> Media? {
    uri.trimmingASCIISpace.isEmpty ? nil : Media(sent: uri, metadata: metadata)
  }
}
