import DIDLLite
import Kept
import Player
import Text
import UPnP

/// What AVTransport and Queue do with the queue. Places count from 1.
struct ZoneQueue: Sendable {
  /// What an addition has done.
  typealias Added = (first: UInt32, count: UInt32, length: UInt32)

  let parts: ZonePlayback
  let log: CastLog

  private var player: PlayerCore { parts.player }
  private var playlist: Playlist { player.currentState.playlist }
  private var ids: [UInt32] { playlist.tracks.ids }
  var length: UInt32 { UInt32(clamping: playlist.tracks.count) }

  // MARK: Adding

  /// Adds a track, or the tracks of a stored playlist.
  nonisolated(nonsending) func add(
    _ uri: String, metadata: String, at place: UInt32, asNext: Bool
  ) async throws(UPnPError) -> Added {
    switch ZoneURI(uri) {
    case .track(let address):
      let media = Media(sent: address, metadata: metadata)
      let added = try add([media], at: place, asNext: asNext)
      log("adds", media, level: .debug)
      return added
    case .playlist(let id):
      let media = try await tracks(of: id)
      let wasEmpty = playlist.isEmpty
      let added = try add(media, at: place, asNext: asNext)
      // What else is in the queue comes from elsewhere.
      if wasEmpty { try player.changeZone(.zone(.noteFiller(Media(uri: uri, metadata: metadata)))) }
      return added
    case .library: throw .zoneNotFound
    case .station, .queue, .group, .unsupported: throw .zoneMediaNotSupported
    }
  }

  nonisolated(nonsending) func tracks(of id: UInt32) async throws(UPnPError) -> [Media] {
    do throws(SavedQueueError) {
      return try await parts.lists.media(of: id)
    } catch {
      throw error == .notFound ? .zoneNotFound : UPnPError(error)
    }
  }

  /// Adds tracks before `place`; 0, and what is beyond the end, for the end.
  ///
  /// - Parameter asNext: lets them play next when `place` is 0 and the queue is shuffled.
  func add(_ media: [Media], at place: UInt32, asNext: Bool) throws(UPnPError) -> Added {
    let before = playlist
    guard player.currentState.sources.contains(.playlist) else { throw .zoneNotSupported }
    guard !media.isEmpty, let first = before.nextID else { return (length, 0, length) }
    let isNext = place == 0 && asNext && before.isShuffling && !before.isEmpty
    let after: UInt32
    if isNext {
      after = before.currentID
    } else if place == 0 || Int(place) > before.tracks.count {
      after = before.tracks.ids.last ?? 0
    } else {
      after = place == 1 ? 0 : before.tracks.ids[Int(place) - 2]
    }
    try player.changeZone(.playlist(.insertEach(after: after, media)))
    let tracks = playlist.tracks
    let count = tracks.count - before.tracks.count
    if isNext {
      let new = (0..<UInt32(clamping: count)).map { first + $0 }
      try player.changeZone(.playlist(.bringNext(new)))
    }
    let index = tracks.index(of: first) ?? 0
    return (UInt32(clamping: index + 1), UInt32(clamping: count), length)
  }

  /// Adds tracks whose addresses, and whose metadata, stand in one text each.
  func addEach(
    _ uris: String, metadata: String, count: UInt32, at place: UInt32, asNext: Bool
  ) throws(UPnPError) -> Added {
    let uris = uris.split(separator: " ", maxSplits: Self.mostAtOnce).map { String($0) }
    guard uris.count == Int(count), uris.count <= Self.mostAtOnce else {
      throw .invalidArgs("the number of URIs")
    }
    let documents = Self.documents(metadata)
    let media = try uris.enumerated().map { index, uri throws(UPnPError) -> Media in
      guard case .track(let address) = ZoneURI(uri) else { throw .zoneMediaNotSupported }
      return Media(sent: address, metadata: documents.indices.contains(index) ? documents[index] : "")
    }
    return try add(media, at: place, asNext: asNext)
  }

  /// Real controllers send 16 at most.
  static let mostAtOnce = 64

  /// DIDL-Lite documents, one behind the other.
  static func documents(_ text: String) -> [String] {
    var documents: [String] = []
    var rest = text[...]
    while documents.count < mostAtOnce, let end = rest.firstPlace(of: ZoneDIDL.tail) {
      documents.append(String(rest[..<end.upperBound]).trimmingASCIISpace)
      rest = rest[end.upperBound...]
    }
    return documents
  }

  // MARK: Removing and moving

  func remove(from start: UInt32, count: UInt32) throws(UPnPError) {
    let ids = self.ids
    guard count > 0 else { return }
    guard start >= 1, Int(start) <= ids.count, Int(count) <= ids.count - Int(start) + 1 else {
      throw .invalidArgs("no such tracks")
    }
    try player.changeZone(
      .playlist(.deleteEach(Array(ids[(Int(start) - 1)..<(Int(start) - 1 + Int(count))]))))
  }

  func removeAll() throws(UPnPError) {
    try player.changeZone(.playlist(.deleteAll))
  }

  func move(from start: UInt32, count: UInt32, before target: UInt32) throws(UPnPError) {
    guard
      let move = ZoneOrder.move(
        ids, from: Int(start), count: Int(count), before: Int(target))
    else { throw .invalidArgs("no such tracks") }
    guard !move.moved.isEmpty else { return }
    try player.changeZone(.playlist(.move(move.moved, after: move.after)))
  }

  // MARK: Reading

  /// How many objects one answer has at most.
  static let mostShown = 1000

  /// The items from `start` on; `count` 0 is for all.
  func items(from start: UInt32, count: UInt32) -> (list: ZoneDIDLList, count: UInt32, total: UInt32) {
    // A snapshot, so that later changes don't affect the answer while it is written.
    let tracks = playlist.tracks
    let range = Self.range(from: start, count: count, of: tracks.count)
    let ids = Array(tracks.ids[range])
    let list = ZoneDIDLList(count: ids.count) { index in
      tracks[ids[index]].map { ZoneDIDL.track($0, id: "Q:0/\(range.lowerBound + index + 1)", parent: "Q:0") }
        ?? ""
    }
    return (list, UInt32(clamping: ids.count), length)
  }

  static func range(from start: UInt32, count: UInt32, of total: Int) -> Range<Int> {
    let first = min(Int(start), total)
    let most = count == 0 ? mostShown : min(Int(count), mostShown)
    return first..<min(first + most, total)
  }
}
