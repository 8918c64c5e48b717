import DIDLLite
import Kept
import Player
import Text
import UPnP
import XML

/// ContentDirectory:1 of a zone: the queue, stored playlists, favourites and stations. There is no music library.
struct ZoneContentDirectory: ZoneContentDirectory1.Provider {
  let parts: ZonePlayback

  init(_ parts: ZonePlayback) { self.parts = parts }

  var view: ZoneContentDirectoryView {
    ZoneContentDirectoryView(uid: parts.uid, queue: parts.queueUpdateID, updates: parts.updates())
  }

  func commands(for context: ActionContext) -> ZoneContentDirectoryCommands {
    ZoneContentDirectoryCommands(
      parts: parts, log: CastLog(logger: parts.logger, context: context, casters: parts.casters))
  }
}

struct ZoneContentDirectoryView: ZoneContentDirectory1.View {
  let uid: String
  let queue: UInt32
  let updates: ZoneUpdates

  var searchCapabilities: String { "" }
  var sortCapabilities: String { "" }
  /// Rises with each of the others.
  var systemUpdateID: UInt32 { queue &+ updates.lists &+ updates.favourites &+ updates.stations }
  var containerUpdateIDs: String { "Q:0,\(queue),FV:2,\(updates.favourites),SQ:,\(updates.lists)" }
  var shareIndexInProgress: Bool { false }
  var shareIndexLastError: String { "" }
  var userRadioUpdateID: String { "\(uid),\(updates.stations)" }
  var savedQueuesUpdateID: String { "\(uid),\(updates.lists)" }
  var shareListUpdateID: String { "\(uid),1" }
  var recentlyPlayedUpdateID: String { "\(uid),1" }
  var browseable: Bool { true }
  var radioFavoritesUpdateID: UInt32 { updates.stations }
  var radioLocationUpdateID: UInt32 { 1 }
  var favoritesUpdateID: String { "\(uid),\(updates.favourites)" }
}

struct ZoneContentDirectoryCommands: ZoneContentDirectory1.Commands {
  let parts: ZonePlayback
  let log: CastLog

  private var queue: ZoneQueue { ZoneQueue(parts: parts, log: log) }
  private var saved: ZoneSavedQueues { ZoneSavedQueues(parts: parts, queue: queue) }
  private var favourites: ZoneFavourites { ZoneFavourites(parts: parts) }
  private var browser: ZoneBrowser { ZoneBrowser(parts: parts, queue: queue) }

  // MARK: Reading

  nonisolated(nonsending) func browse(
    objectID: String, browseFlag: ZoneContentDirectory1.BrowseFlag, filter: String, startingIndex: UInt32,
    requestedCount: UInt32, sortCriteria: String
  ) async throws(UPnPError) -> (
    result: any ChunkedText, numberReturned: UInt32, totalMatches: UInt32, updateID: UInt32
  ) {
    guard let object = ZoneObject(objectID) else { throw .zoneNoObject }
    let page: ZoneBrowser.Page
    switch browseFlag {
    case .browseMetadata: page = try await browser.object(object, id: objectID)
    case .browseDirectChildren:
      page = try await browser.children(of: object, id: objectID, from: startingIndex, count: requestedCount)
    }
    return (page.list, page.count, page.total, browser.updateID(of: object))
  }

  func getAlbumArtistDisplayOption() throws(UPnPError) -> String { "WMP" }
  func getLastIndexChange() throws(UPnPError) -> String { "" }

  func findPrefix(objectID: String, prefix: String) throws(UPnPError) -> (
    startingIndex: UInt32, updateID: UInt32
  ) { (0, parts.updates().lists) }

  func getAllPrefixLocations(objectID: String) throws(UPnPError) -> (
    totalPrefixes: UInt32, prefixAndIndexCSV: String, updateID: UInt32
  ) { (0, "", parts.updates().lists) }

  // MARK: Changing

  func createObject(containerID: String, elements: String) throws(UPnPError) -> (
    objectID: String, result: String
  ) {
    guard ZoneObject(containerID) == .favourites else { throw .zoneNotSupported }
    let id = try favourites.create(elements)
    let item = ZoneObject(id).flatMap { if case .favourite(let id) = $0 { favourites.item(id) } else { nil } }
    return (id, ZoneDIDL.document(item ?? ""))
  }

  nonisolated(nonsending) func destroyObject(objectID: String) async throws(UPnPError) {
    switch ZoneObject(objectID) {
    case .playlist(let id): try await saved.delete(id)
    case .favourite(let id): try favourites.delete(id)
    case .station(let id): throw refusal(ofStation: id)
    default: throw .zoneNoObject
    }
  }

  /// Presets come from the configuration, so no controller changes them.
  private func refusal(ofStation id: UInt32) -> UPnPError {
    parts.player.currentState.radio.preset(id) == nil ? .zoneNoObject : .zoneNotSupported
  }

  /// Gives a stored playlist or a favourite other texts: `<dc:title>old</dc:title>` to `<dc:title>new</dc:title>`.
  nonisolated(nonsending) func updateObject(
    objectID: String, currentTagValue: String, newTagValue: String
  ) async throws(UPnPError) {
    let (old, new) = (ZoneTags(currentTagValue), ZoneTags(newTagValue))
    switch ZoneObject(objectID) {
    case .favourite(let number): try favourites.update(number, from: old, to: new)
    case .playlist(let id):
      guard let head = parts.lists.heads.first(where: { $0.id == id }) else { throw .zoneNoObject }
      guard old.title == head.name else { throw .zoneOldTags }
      guard let title = new.title, !title.isEmpty else { throw .zoneNewTags }
      try await saved.rename(id, to: title)
    case .station(let id): throw refusal(ofStation: id)
    default: throw .zoneNoObject
    }
  }

  // MARK: Without effect

  func refreshShareIndex(albumArtistDisplayOption: String) throws(UPnPError) {}
  func requestResort(sortOrder: String) throws(UPnPError) {}
  func setBrowseable(browseable: Bool) throws(UPnPError) {}
}
