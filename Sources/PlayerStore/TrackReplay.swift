/// Rebuilds the playlist's order from the rows that ``TrackOrder`` describes, which come in ascending order of IDs.
struct TrackReplay {
  /// Four times as many as a player accepts.
  private static let maximumTracks = 65536

  private let foldedThrough: UInt32
  private var lastID: UInt32
  /// All tracks that rows may refer to, including deleted ones.
  private var list: [UInt32]
  private let folded: Set<UInt32>
  private var present: Set<UInt32> = []
  private var replayed = 0

  init(fold: (last: UInt32, ids: [UInt32])) throws(SQLiteError) {
    foldedThrough = fold.last
    lastID = fold.last
    list = fold.ids
    folded = Set(fold.ids)
    guard folded.count == fold.ids.count, !fold.ids.contains(where: { $0 == 0 || $0 > fold.last }) else {
      throw .damaged("the order of the playlist is wrong")
    }
  }

  mutating func add(id: UInt32, after: UInt32, isDeleted: Bool) throws(SQLiteError) {
    if !isDeleted { present.insert(id) }
    guard present.count <= Self.maximumTracks, replayed <= Self.maximumTracks else {
      throw .damaged("it has too many tracks")
    }
    lastID = max(lastID, id)
    guard id > foldedThrough else {
      if !folded.contains(id) { throw .damaged("track \(id) has no place in the playlist") }
      return
    }
    replayed += 1
    if after == 0 {
      list.insert(id, at: 0)
    } else if let index = list.lastIndex(of: after) {
      list.insert(id, at: index + 1)
    } else {
      throw .damaged("track \(id) stands behind one that was never there")
    }
  }

  func order() -> TrackOrder {
    TrackOrder(
      ids: list.filter(present.contains), foldedThrough: foldedThrough, lastID: lastID, replayed: replayed)
  }
}
