/// What the database has of the playlist's order, without the tracks themselves.
///
/// A track's row is written once and never again: it names the track that it was put behind. Replaying the rows in the
/// order of their ids therefore gives the list, and an insert writes one row wherever it goes. So that neither the
/// replay nor the rows of deleted tracks, which others may stand behind, grow without end, the order is now and then
/// *folded*: written as one array of ids, from which on only younger rows are replayed.
struct TrackOrder: Equatable {
  /// Rows that may be replayed at most. The array is written once for so many inserts: 64 bytes for each, when there
  /// are 16384 tracks.
  static let maximumReplay = 1024

  /// The list.
  private(set) var ids: [UInt32] = []
  /// Rows up to this id are in the array; all later ones are replayed.
  private(set) var foldedThrough: UInt32 = 0
  /// The largest id that the database knows to have been given away.
  private(set) var lastID: UInt32 = 0
  /// Rows younger than the array, those of deleted tracks included.
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
    /// 0 for the front.
    let after: UInt32
  }

  /// What leads from one order to another.
  struct Difference: Equatable {
    /// Every row goes; ``inserted`` are all there are.
    var clears = false
    /// Rows to be taken out.
    var deleted: [UInt32] = []
    /// Rows to be emptied, but kept for those that stand behind them.
    var emptied: [UInt32] = []
    /// In ascending order of ids.
    var inserted: [Insertion] = []
    /// The array has to be written, and emptied rows taken out.
    var folds = false

    var isEmpty: Bool { self == Difference() }
  }

  /// What has to be written so that the database has the list `wanted` and the counter `lastID`.
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
    // The list's owner gives ascending ids and never moves a track. Should it ever, the array tells the order.
    result.folds =
      !before.lazy.filter(kept.contains).elementsEqual(after.lazy.filter(known.contains))
      || after.contains { !known.contains($0) && $0 <= self.lastID }
    result.inserted = Self.insertions(after, known: known, behind: prefix > 0 ? wanted[prefix - 1] : 0)
    // An id that was given to a track which is gone already is known from nothing else.
    let highest = max(self.lastID, result.inserted.last?.id ?? 0)
    if lastID > highest || replayed + result.inserted.count > Self.maximumReplay { result.folds = true }
    return result
  }

  /// Each new track stands behind the nearest one before it that is older: younger ones aren't there yet when its
  /// row is replayed.
  private static func insertions(
    _ wanted: ArraySlice<UInt32>, known: Set<UInt32>, behind first: UInt32
  ) -> [Insertion] {
    var result: [Insertion] = []
    // New tracks that could be the nearest older one, in ascending order.
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

  /// The order after `difference` was written.
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
