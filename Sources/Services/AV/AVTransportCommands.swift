import DIDLLite
import Player
import Text
import UPnP

/// The state-changing actions of AVTransport:1, for one caller.
struct AVTransportCommands: AVTransport1.Commands {
  let player: PlayerCore
  let log: CastLog

  func setAVTransportURI(currentURI: String, currentURIMetaData: String) throws(UPnPError) {
    let media = media(currentURI, currentURIMetaData)
    try change(.setMedia(media))
    log("casts", media)
  }

  func setNextAVTransportURI(nextURI: String, nextURIMetaData: String) throws(UPnPError) {
    let media = media(nextURI, nextURIMetaData)
    try change(.setNextMedia(media))
    log("queues", media)
  }

  func play(speed: AVTransport1.TransportPlaySpeed) throws(UPnPError) { try change(.play) }
  func pause() throws(UPnPError) { try change(.pause) }
  func stop() throws(UPnPError) { try change(.stop) }
  func next() throws(UPnPError) { try change(.next) }
  func previous() throws(UPnPError) { try change(.previous) }

  func setPlayMode(newPlayMode: AVTransport1.CurrentPlayMode) throws(UPnPError) {
    try change(.setPlayMode(newPlayMode.ofPlayer))
  }

  /// Seeks. REL_TIME is a position in the track, as all control points use it; for a single track it equals
  /// ABS_TIME. The state is checked before the target (701, then 711).
  func seek(unit: AVTransport1.SeekMode, target: String) throws(UPnPError) {
    guard player.currentState.avShown != nil else { throw UPnPError(.transitionNotAvailable) }
    switch unit {
    case .relTime, .absTime:
      guard let position = ClockTime.duration(target) else { throw UPnPError(.illegalSeekTarget) }
      try change(.seek(to: position))
    case .trackNr:
      guard let number = UInt32(wire: target) else { throw UPnPError(.illegalSeekTarget) }
      try change(.seekTrack(Int(number)))
    }
  }

  private func change(_ command: AVCommand) throws(UPnPError) { try player.change(.av(command)) }

  /// The media for `uri`; nil for an empty URI, which clears it.
  private func media(_ uri: String, _ metadata: String) -> Media? {
    uri.trimmingASCIISpace.isEmpty ? nil : Media(sent: uri, metadata: metadata)
  }
}
