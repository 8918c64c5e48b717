/// Tracks by id, as a value whose copies share all but the few parts in which they differ.
///
/// The player's state is copied for each command. With one flat array or dictionary the first change after that
/// would copy every track; here it copies one bucket of a thousand and the two short arrays on the way to it.
struct TrackTable: Sendable, Hashable {
  private static let bitsPerLevel: UInt32 = 5
  private static let width = 1 << bitsPerLevel
  private static let none = [[[PlaylistTrack]]](
    repeating: [[PlaylistTrack]](repeating: [], count: width), count: width)

  /// `width` rows of `width` buckets. A bucket is in ascending order of ids, so that equal tables are alike
  /// whatever order they were filled in.
  private(set) var rows = Self.none

  subscript(id: UInt32) -> PlaylistTrack? {
    let (row, column) = Self.place(of: id)
    return rows[row][column].first { $0.id == id }
  }

  /// Replaces a track of the same id.
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

  /// Multiplying by 2³² over the golden ratio spreads successive ids, and most other regular patterns, evenly.
  private static func place(of id: UInt32) -> (row: Int, column: Int) {
    let hash = (id &* 0x9E37_79B9) >> (32 - 2 * bitsPerLevel)
    return (Int(hash >> bitsPerLevel), Int(hash & UInt32(width - 1)))
  }
}
