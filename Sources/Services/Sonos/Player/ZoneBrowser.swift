import DIDLLite
import Kept
import Player
import UPnP

/// Answers what controllers browse.
struct ZoneBrowser: Sendable {
  /// A part of a list of objects.
  struct Page: Sendable {
    var list: ZoneDIDLList
    var count: UInt32
    var total: UInt32

    init(_ list: ZoneDIDLList, count: UInt32, total: UInt32) {
      (self.list, self.count, self.total) = (list, count, total)
    }

    /// One object, or none.
    init(_ object: String?) {
      let objects = object.map { [$0] } ?? []
      self.init(objects, of: objects.count)
    }

    init(_ objects: [String], of total: Int) {
      self.init(
        ZoneDIDLList(count: objects.count) { objects[$0] }, count: UInt32(clamping: objects.count),
        total: UInt32(clamping: total))
    }
  }

  let parts: ZonePlayback
  let queue: ZoneQueue

  private var state: PlayerState { parts.player.currentState }
  private var favourites: ZoneFavourites { ZoneFavourites(parts: parts) }

  /// The most bytes of metadata that are read from a stored playlist for one answer.
  private static let mostBytes = 1 << 20

  func updateID(of object: ZoneObject) -> UInt32 {
    switch object {
    case .queue, .queueItem: parts.queueUpdateID
    case .favourites, .favourite: parts.updates().favourites
    case .stations, .station: parts.updates().stations
    case .playlists, .playlist, .playlistItem, .empty, .root: parts.updates().lists
    }
  }

  // MARK: Children

  nonisolated(nonsending) func children(
    of object: ZoneObject, id: String, from start: UInt32, count: UInt32
  ) async throws(UPnPError) -> Page {
    func part(_ objects: [String]) -> Page {
      Page(
        Array(objects[ZoneQueue.range(from: start, count: count, of: objects.count)]), of: objects.count)
    }
    switch object {
    case .queue:
      let items = queue.items(from: start, count: count)
      return Page(items.list, count: items.count, total: items.total)
    case .playlists: return part(parts.lists.heads.map(ZoneDIDL.playlist))
    case .playlist(let list): return try await tracks(of: list, from: start, count: count)
    case .favourites: return part(favourites.items)
    case .stations: return part(stations.map(\.text))
    case .root: return part(Self.inside(id))
    case .empty: return part([])
    case .queueItem, .playlistItem, .favourite, .station: throw .zoneNoObject
    }
  }

  private nonisolated(nonsending) func tracks(
    of id: UInt32, from start: UInt32, count: UInt32
  ) async throws(UPnPError) -> Page {
    guard let head = parts.lists.heads.first(where: { $0.id == id }) else { throw .zoneNoObject }
    let range = ZoneQueue.range(from: start, count: count, of: head.count)
    guard !range.isEmpty else { return Page([], of: head.count) }
    do throws(SavedQueueError) {
      let entries = try await parts.lists.entries(
        of: id, from: range.lowerBound, count: range.count, bytes: Self.mostBytes)
      let list = ZoneDIDLList(count: entries.count) { index in
        ZoneDIDL.track(
          entries[index].track.media, id: "SQ:\(id)/\(range.lowerBound + index + 1)", parent: "SQ:\(id)")
      }
      return Page(list, count: UInt32(clamping: entries.count), total: UInt32(clamping: head.count))
    } catch {
      throw UPnPError(error)
    }
  }

  private var stations: [(id: UInt32, text: String)] {
    state.radio.presets.compactMap { preset in
      preset.map { ($0.id, ZoneDIDL.station($0.media, id: "R:0/0/\($0.id)", parent: "R:0/0")) }
    }
  }

  // MARK: One object

  nonisolated(nonsending) func object(_ object: ZoneObject, id: String) async throws(UPnPError) -> Page {
    let text: String?
    switch object {
    case .queue: text = ZoneDIDL.queue(parts.uid, count: state.playlist.tracks.count)
    case .queueItem(let place):
      let tracks = state.playlist.tracks
      text =
        tracks.ids.indices.contains(place - 1)
        ? tracks[tracks.ids[place - 1]].map { ZoneDIDL.track($0, id: id, parent: "Q:0") } : nil
    case .playlist(let list): text = parts.lists.heads.first { $0.id == list }.map(ZoneDIDL.playlist)
    case .playlistItem(let list, let place):
      let page = try await tracks(of: list, from: UInt32(clamping: place - 1), count: 1)
      guard page.count == 1 else { throw .zoneNoObject }
      return Page(page.list, count: 1, total: 1)
    case .favourite(let id): text = favourites.item(id)
    case .station(let number): text = stations.first { $0.id == number }?.text
    case .playlists, .favourites, .stations, .empty, .root: text = Self.folder(id)
    }
    guard let text else { throw .zoneNoObject }
    return Page(text)
  }

  // MARK: Folders

  private static let names = [
    "A:": "Attributes", "S:": "Music Shares", "Q:": "Queues", "SQ:": "Saved Queues", "R:": "Internet Radio",
    "EN:": "Entire Network", "FV:": "Favorites", "FV:2": "Favorites", "R:0": "Radio", "R:0/0": "Stations",
    "R:0/1": "Shows", "AI:": "Audio Inputs", "0": "Root",
  ]

  private static func folder(_ id: String) -> String {
    ZoneDIDL.container(id: id, parent: id == "0" ? "-1" : "0", title: names[id] ?? id)
  }

  private static func inside(_ id: String) -> [String] {
    switch id {
    case "0": ["A:", "S:", "Q:", "SQ:", "R:", "FV:"].map(folder)
    case "Q:": ["Q:0"].map { ZoneDIDL.container(id: $0, parent: "Q:", title: "Queue Instance 0") }
    case "R:", "R:0": ["R:0/0", "R:0/1"].map(folder)
    case "FV:": ["FV:2"].map(folder)
    default: []
    }
  }
}
