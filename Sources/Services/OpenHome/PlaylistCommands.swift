import Player
import UPnP

/// The actions of Playlist:1 that aren't simple getters.
struct PlaylistCommands: Playlist1.Commands {
  let player: PlayerCore
  let log: CastLog

  private var playlist: Playlist { player.currentState.playlist }

  // MARK: Transport

  func play() throws(UPnPError) { try change(.play) }
  func pause() throws(UPnPError) { try change(.pause) }
  func stop() throws(UPnPError) { try change(.stop) }
  func next() throws(UPnPError) { try change(.next) }
  func previous() throws(UPnPError) { try change(.previous) }
  func setRepeat(value: Bool) throws(UPnPError) { try change(.setRepeat(value)) }
  func setShuffle(value: Bool) throws(UPnPError) { try change(.setShuffle(value)) }
  func seekSecondAbsolute(value: UInt32) throws(UPnPError) { try change(.seek(to: .seconds(value))) }
  func seekSecondRelative(value: Int32) throws(UPnPError) { try change(.skip(by: .seconds(value))) }
  func seekIndex(value: UInt32) throws(UPnPError) { try change(.playIndex(Int(value))) }

  /// Makes the playlist active even when there is no such track.
  func seekId(value: UInt32) throws(UPnPError) {
    if playlist.tracks[value] == nil { try player.change(.setSource(.playlist)) }
    try change(.playID(value))
  }

  // MARK: Reading

  func read(id: UInt32) throws(UPnPError) -> (uri: String, metadata: String) {
    guard let media = playlist.tracks[id] else { throw UPnPError(.idNotFound) }
    return (media.uri, media.trackMetadata)
  }

  func readList(idList: String) throws(UPnPError) -> any ChunkedText {
    // A snapshot, so that later changes don't affect the answer while it is written.
    let tracks = playlist.tracks
    return EntryList("TrackList", ids: IdArray.ids(in: idList)) { id in
      tracks[id].map {
        EntryList.Entry(uri: $0.uri, metadata: $0.trackMetadata, bytesRead: $0.metadata.utf8.count)
      }
    }
  }

  func idArrayChanged(token: UInt32) throws(UPnPError) -> Bool { token != playlist.token }

  // MARK: Editing

  func insert(afterId: UInt32, uri: String, metadata: String) throws(UPnPError) -> UInt32 {
    let media = Media(sent: uri, metadata: metadata)
    try change(.insert(after: afterId, media))
    log("adds", media, level: .debug)
    return playlist.tracks.lastID
  }

  func deleteId(value: UInt32) throws(UPnPError) { try change(.delete(value)) }
  func deleteAll() throws(UPnPError) { try change(.deleteAll) }

  private func change(_ command: PlaylistCommand) throws(UPnPError) { try player.change(.playlist(command)) }
}
