/// The playlist's order as the database has it, without the tracks themselves.
///
/// A track's row is written once and names the track it was inserted after. Replaying the rows in ascending order of
/// their IDs therefore gives the list, and an insert writes one row wherever it goes. A deleted track's row stays,
/// emptied, while other rows may refer to it. To keep both the replay and these rows from growing without bound, the
/// order is *folded* now and then: written as one array of IDs, after which only younger rows are replayed.
///
/// Writing the array with each save instead was measured, in SQLite's log: 9 kB instead of 3 for a lone insert into 1,000
/// tracks, and 12 kB instead of 2.5 for each insert into 10,000 tracks, with five to a save. It would save few lines, since
/// the rows of states saved so far have to be replayed anyway.
struct TrackOrder: Equatable {
  /// The most rows that may be replayed. The array is written once per this many inserts: with 16384 tracks, 64 bytes
  /// for each insert.
  static let maximumReplay = 1024

  /// The IDs of the playlist, in order.
  private(set) var ids: [UInt32] = []
  /// Rows up to this ID are in the array; all later ones are replayed.
  private(set) var foldedThrough: UInt32 = 0
  /// The largest ID that the database knows to have been given to a track.
  private(set) var lastID: UInt32 = 0
  /// The number of rows younger than the array, including those of deleted tracks.
  private(set) var replayed = 0

  init() {}

  init(ids: [UInt32], foldedThrough: UInt32, lastID: UInt32, replayed: Int) {
    self.ids = ids
    self.foldedThrough = foldedThrough
    self.lastID = lastID
    self.replayed = replayed
  }

  /// A row to be written.
  struct Insertion: Equatable {
    let id: UInt32
    /// The track it is inserted after; 0 for the front.
    let after: UInt32
  }

  /// The changes that lead from one order to another.
  struct Difference: Equatable {
    /// All rows are deleted, and then only ``inserted`` exist.
    var clears = false
    /// Rows to delete.
    var deleted: [UInt32] = []
    /// Rows to empty but keep, since other rows may refer to them.
    var emptied: [UInt32] = []
    /// Rows to insert, in ascending order of IDs.
    var inserted: [Insertion] = []
    /// The array is to be written and emptied rows are to be deleted.
    var folds = false

    var isEmpty: Bool { self == Difference() }
  }

  /// Returns the changes that give the database the list `wanted` and the ID counter `lastID`.
  func difference(to wanted: [UInt32], lastID: UInt32) -> Difference {
    var result = Difference()
    let prefix = zip(ids, wanted).prefix { $0 == $1 }.count
    let suffix = zip(ids[prefix...].reversed(), wanted[prefix...].reversed()).prefix { $0 == $1 }.count
    let before = ids[prefix..<(ids.count - suffix)]
    let after = wanted[prefix..<(wanted.count - suffix)]
    let (known, kept) = (Set(before), Set(after))
    if !ids.isEmpty, before.count == ids.count, known.isDisjoint(with: kept) {
      result.clears = true
      result.folds = true
      result.inserted = Self.insertions(after, known: [], behind: 0)
      return result
    }
    for id in before where !kept.contains(id) {
      if id > foldedThrough { result.emptied.append(id) } else { result.deleted.append(id) }
    }
    // The player gives ascending IDs and never moves a track. If that ever changes, the array keeps the order right.
    result.folds =
      !before.lazy.filter(kept.contains).elementsEqual(after.lazy.filter(known.contains))
      || after.contains { !known.contains($0) && $0 <= self.lastID }
    result.inserted = Self.insertions(after, known: known, behind: prefix > 0 ? wanted[prefix - 1] : 0)
    // Only the array's `last` records the ID of a track that is already gone.
    let highest = max(self.lastID, result.inserted.last?.id ?? 0)
    if lastID > highest || replayed + result.inserted.count > Self.maximumReplay { result.folds = true }
    return result
  }

  /// Inserts each new track after the nearest older track before it. Younger ones don't exist yet when its row is
  /// replayed.
  private static func insertions(
    _ wanted: ArraySlice<UInt32>, known: Set<UInt32>, behind first: UInt32
  ) -> [Insertion] {
    var result: [Insertion] = []
    // New tracks that could be the nearest older one, in ascending order of IDs.
    var candidates: [UInt32] = []
    var lastKnown = first
    for id in wanted {
      if known.contains(id) {
        lastKnown = id
        candidates = []
        continue
      }
      while let last = candidates.last, last > id { candidates.removeLast() }
      result.append(Insertion(id: id, after: candidates.last ?? lastKnown))
      candidates.append(id)
    }
    return result.sorted { $0.id < $1.id }
  }

  /// Updates the order after `difference` has been written.
  mutating func take(_ difference: Difference, to wanted: [UInt32], lastID: UInt32) {
    ids = wanted
    self.lastID = max(self.lastID, lastID)
    if difference.folds {
      foldedThrough = self.lastID
      replayed = 0
    } else {
      replayed += difference.inserted.count
    }
  }
}
