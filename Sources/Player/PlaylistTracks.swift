/// The tracks of the playlist in their order, and the counter that ids are taken from. Both the playlist that plays
/// and the one that is stored are made of this, and copies share nearly all of their memory.
public struct PlaylistTracks: Sendable, Hashable {
  /// In the order of the list.
  public private(set) var ids: [UInt32] = []
  /// The id given last; 0 before the first.
  public private(set) var lastID: UInt32 = 0
  /// Bytes of all URIs and metadata.
  public private(set) var textBytes = 0
  private(set) var table = TrackTable()

  /// Ids that a start leaves out behind the last one that was saved. So many may be told of before the next save, which
  /// is more than a player is given in the half second until then; whoever saves has to see to it that no more are
  /// (``lastSafeID``).
  static let unsavedIDs: UInt32 = 1 << 16

  public init() {}

  /// Once this was saved, no later start gives ids up to here to other tracks.
  public var lastSafeID: UInt32 {
    let (last, overflows) = lastID.addingReportingOverflow(Self.unsavedIDs)
    return overflows ? .max : last
  }

  /// Tracks as they were saved, in the order of the list. An entry with the id 0 or one that was there already is
  /// left out.
  public init(_ tracks: some Sequence<PlaylistTrack>, lastID: UInt32) {
    for track in tracks { append(track) }
    self.lastID = max(self.lastID, lastID)
  }

  public var count: Int { ids.count }
  public var isEmpty: Bool { ids.isEmpty }

  /// Nil for an id that isn't in the list.
  public subscript(id: UInt32) -> Media? { table[id]?.media }

  public func contains(_ id: UInt32) -> Bool { table[id] != nil }

  /// Place in the list, from 0. Looks from the end, where most of the editing happens.
  public func index(of id: UInt32) -> Int? { contains(id) ? ids.lastIndex(of: id) : nil }

  /// The tracks in the order of the list.
  public var all: some Sequence<PlaylistTrack> { ids.lazy.compactMap { table[$0] } }

  // MARK: Changes

  /// Puts `track` behind the one with the id `after`, 0 for the front, and returns its index. Nil, and nothing
  /// changed, when there is no such track or the id is taken.
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

  /// Ids go on from where they were.
  mutating func removeAll() {
    ids = []
    textBytes = 0
    table.removeAll()
  }
}

extension Media {
  var textBytes: Int { uri.utf8.count + metadata.utf8.count }
}
