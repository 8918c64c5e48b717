/// Tracks by id, as a value whose copies share all parts that are equal.
///
/// Each command copies the player's state. With a flat array or dictionary, the first change after that would
/// copy every track. This type copies one of 1,024 buckets and the two short arrays that lead to it.
struct TrackTable: Sendable, Hashable {
  private static let bitsPerLevel: UInt32 = 5
  private static let width = 1 << bitsPerLevel
  private static let none = [[[PlaylistTrack]]](
    repeating: [[PlaylistTrack]](repeating: [], count: width), count: width)

  /// `width` rows of `width` buckets. Buckets are sorted by id, so that equal tables compare equal regardless
  /// of insertion order.
  private(set) var rows = Self.none

  subscript(id: UInt32) -> PlaylistTrack? {
    let (row, column) = Self.place(of: id)
    return rows[row][column].first { $0.id == id }
  }

  /// Inserts a track, or replaces the one with the same id.
  mutating func insert(_ track: PlaylistTrack) {
    let (row, column) = Self.place(of: track.id)
    let bucket = rows[row][column]
    let index = bucket.lastIndex { $0.id <= track.id }.map { $0 + 1 } ?? 0
    if index > 0, bucket[index - 1].id == track.id {
      rows[row][column][index - 1] = track
    } else {
      rows[row][column].insert(track, at: index)
    }
  }

  @discardableResult
  mutating func remove(_ id: UInt32) -> PlaylistTrack? {
    let (row, column) = Self.place(of: id)
    guard let index = rows[row][column].firstIndex(where: { $0.id == id }) else { return nil }
    return rows[row][column].remove(at: index)
  }

  mutating func removeAll() { rows = Self.none }

  /// Multiplication by 2³² over the golden ratio spreads consecutive ids, and most other regular patterns,
  /// evenly.
  private static func place(of id: UInt32) -> (row: Int, column: Int) {
    let hash = (id &* 0x9E37_79B9) >> (32 - 2 * bitsPerLevel)
    return (Int(hash >> bitsPerLevel), Int(hash & UInt32(width - 1)))
  }
}
