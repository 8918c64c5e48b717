import DIDLLite
import Player
import Text

/// What another zone is told so that it goes on with what this one plays. Values all of it.
struct ZoneHandover {
  /// What one call adds to a queue at most.
  static let mostTracks = ZoneQueue.mostAtOnce
  static let mostBytes = 48 * 1024

  /// Empties the other one's queue and fills it: first of all that one leaves the group.
  static func queueCalls(_ state: PlayerState) -> [ZoneCall] {
    let tracks = state.playlist.tracks
    var calls = [ZoneCall.standAlone, ZoneCall(.transport, "RemoveAllTracksFromQueue")]
    var (uris, documents, bytes): ([String], [String], Int) = ([], [], 0)
    func close() {
      guard !uris.isEmpty else { return }
      calls.append(
        ZoneCall(
          .transport, "AddMultipleURIsToQueue",
          [
            ("UpdateID", "0"), ("NumberOfURIs", "\(uris.count)"),
            ("EnqueuedURIs", uris.joined(separator: " ")),
            ("EnqueuedURIsMetaData", documents.joined(separator: " ")), ("ContainerURI", ""),
            ("ContainerMetaData", ""), ("DesiredFirstTrackNumberEnqueued", "0"), ("EnqueueAsNext", "0"),
          ]))
      (uris, documents, bytes) = ([], [], 0)
    }
    for id in handed(state) {
      guard let media = tracks[id] else { continue }
      let (uri, document) = (address(media.uri), document(of: media))
      let length = uri.utf8.count + document.utf8.count
      if uris.count == mostTracks || bytes + length > mostBytes { close() }
      uris.append(uri)
      documents.append(document)
      bytes += length
    }
    close()
    return calls
  }

  /// Lets the other one play what this one plays, from the same place.
  ///
  /// - Parameters:
  ///   - view: this zone as controllers see it now.
  ///   - uid: the other one.
  static func playCalls(_ view: ZoneAVTransportView, to uid: String) -> [ZoneCall] {
    let state = view.state
    let isQueue = state.zoneChosen == nil || state.activeSource == .receiver
    var calls: [ZoneCall] = []
    func tell(_ action: String, _ arguments: (String, String)...) {
      calls.append(ZoneCall(.transport, action, arguments))
    }
    tell(
      "SetAVTransportURI", ("CurrentURI", isQueue ? ZoneURI.queue(uid) : view.avTransportURI),
      ("CurrentURIMetaData", isQueue ? "" : view.avTransportURIMetaData))
    if isQueue {
      tell("SetPlayMode", ("NewPlayMode", ZoneAVTransport1.CurrentPlayMode(state.playlist.zoneMode).wire))
      if let index = handed(state).firstIndex(of: state.playlist.currentID) {
        tell("Seek", ("Unit", "TRACK_NR"), ("Target", "\(index + 1)"))
      }
    }
    guard state.activeSource != .receiver else { return calls }
    let position = state.position(at: view.now)
    if !state.isLive, state.transport != .stopped, position >= .seconds(1) {
      tell("Seek", ("Unit", "REL_TIME"), ("Target", ClockTime.text(position)))
    }
    if state.phase == .playing || state.phase == .buffering { tell("Play", ("Speed", "1")) }
    return calls
  }

  /// The calls that may fail without harm: an empty queue has no first track, and what can't be sought begins anew.
  static func mayFail(_ call: ZoneCall) -> Bool { call.action == "Seek" || call.action == "SetPlayMode" }

  /// The tracks that another zone can play: files of this machine stay.
  private static func handed(_ state: PlayerState) -> [UInt32] {
    let tracks = state.playlist.tracks
    return tracks.ids.filter { id in
      guard let media = tracks[id], case .track = ZoneURI(media.uri) else { return false }
      return true
    }
  }

  /// Addresses stand behind each other with a space between them.
  private static func address(_ uri: String) -> String {
    uri.split(separator: " ", omittingEmptySubsequences: false).joined(separator: "%20")
  }

  /// As the track came, where that is one document; else one that says the same.
  private static func document(of media: Media) -> String {
    let text = media.metadata.trimmingASCIISpace
    if text.hasSuffix(ZoneDIDL.tail), text.utf8.count <= mostBytes / 2,
      ZoneQueue.documents(text) == [text]
    {
      return text
    }
    return ZoneDIDL.document(ZoneDIDL.track(media, id: "-1", parent: "-1"))
  }
}
