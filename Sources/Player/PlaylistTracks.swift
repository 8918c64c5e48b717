/// The tracks of the playlist in order, and the counter that ids come from.
///
/// Both the playlist that plays and the stored one use this type. Copies share nearly all of their memory.
public struct PlaylistTracks: Sendable, Hashable {
  /// In the order of the list.
  public private(set) var ids: [UInt32] = []
  /// The last id assigned; 0 before the first.
  public private(set) var lastID: UInt32 = 0
  /// Total size of all URIs and metadata, in bytes.
  public private(set) var textBytes = 0
  private(set) var table = TrackTable()

  /// Number of ids that a start skips after the last saved one.
  ///
  /// Control points may learn of ids before the next save, half a second later at most. This is more than a
  /// player assigns in that time.
  static let unsavedIDs: UInt32 = 1 << 16

  public init() {}

  /// The highest id that this run may have assigned, given that `unsavedID` has been noted. Later starts
  /// assign only higher ids.
  func lastSafeID(besides unsavedID: UInt32) -> UInt32 {
    let (last, overflows) = max(lastID, unsavedID).addingReportingOverflow(Self.unsavedIDs)
    return overflows ? .max : last
  }

  /// Saved tracks, in the order of the list. Entries with id 0 or with a duplicate id are dropped.
  public init(_ tracks: some Sequence<PlaylistTrack>, lastID: UInt32) {
    for track in tracks { append(track) }
    self.lastID = max(self.lastID, lastID)
  }

  public var count: Int { ids.count }
  public var isEmpty: Bool { ids.isEmpty }

  /// Nil for an id that isn't in the list.
  public subscript(id: UInt32) -> Media? { table[id]?.media }

  public func contains(_ id: UInt32) -> Bool { table[id] != nil }

  /// Index in the list. Searches from the end, where most edits happen.
  public func index(of id: UInt32) -> Int? { contains(id) ? ids.lastIndex(of: id) : nil }

  // MARK: Changes

  /// Inserts `track` after the one with the id `after`, 0 for the front, and returns its index.
  ///
  /// Returns nil and changes nothing when there is no such track or the id is taken.
  @discardableResult
  mutating func insert(_ track: PlaylistTrack, after: UInt32) -> Int? {
    guard track.id > 0, !contains(track.id) else { return nil }
    let index: Int
    if after == 0 {
      index = 0
    } else if let found = self.index(of: after) {
      index = found + 1
    } else {
      return nil
    }
    insert(track, at: index)
    return index
  }

  mutating func append(_ track: PlaylistTrack) {
    guard track.id > 0, !contains(track.id) else { return }
    insert(track, at: count)
  }

  private mutating func insert(_ track: PlaylistTrack, at index: Int) {
    ids.insert(track.id, at: index)
    table.insert(track)
    textBytes += track.media.textBytes
    lastID = max(lastID, track.id)
  }

  /// Returns the index that the track had; nil when there is no such track.
  @discardableResult
  mutating func remove(_ id: UInt32) -> Int? {
    guard let index = index(of: id), let track = table.remove(id) else { return nil }
    ids.remove(at: index)
    textBytes -= track.media.textBytes
    return index
  }

  /// Removes all tracks with these ids.
  mutating func remove(_ unwanted: Set<UInt32>) {
    for id in unwanted {
      if let track = table.remove(id) { textBytes -= track.media.textBytes }
    }
    ids.removeAll(where: unwanted.contains)
  }

  /// Inserts tracks with new ids behind the one with the id `after`, 0 for the front; false when there is no such track.
  mutating func insert(_ tracks: [PlaylistTrack], after: UInt32) -> Bool {
    guard let index = after == 0 ? 0 : index(of: after).map({ $0 + 1 }) else { return false }
    ids.insert(contentsOf: tracks.map(\.id), at: index)
    for track in tracks {
      table.insert(track)
      textBytes += track.media.textBytes
      lastID = max(lastID, track.id)
    }
    return true
  }

  /// Gives the tracks `moved` the places behind the one with the id `after`, 0 for the front.
  ///
  /// - Returns: false, and nothing changes, when one of them isn't in the list, is named twice, or is `after` itself.
  mutating func move(_ moved: [UInt32], after: UInt32) -> Bool {
    let wanted = Set(moved)
    guard wanted.count == moved.count, !wanted.contains(after), moved.allSatisfy(contains) else {
      return false
    }
    var ids = self.ids
    ids.removeAll(where: wanted.contains)
    guard let index = after == 0 ? 0 : ids.lastIndex(of: after).map({ $0 + 1 }) else { return false }
    ids.insert(contentsOf: moved, at: index)
    self.ids = ids
    return true
  }

  /// The same tracks, with an id counter that is at least `lastID`.
  func counting(from lastID: UInt32) -> PlaylistTracks {
    var tracks = self
    tracks.lastID = max(tracks.lastID, lastID)
    return tracks
  }

  /// Removes all tracks. The id counter keeps its value.
  mutating func removeAll() {
    ids = []
    textBytes = 0
    table.removeAll()
  }
}

extension Media {
  var textBytes: Int { uri.utf8.count + metadata.utf8.count }
}
