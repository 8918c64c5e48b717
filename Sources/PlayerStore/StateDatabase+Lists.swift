import Kept
import Player

/// Stored playlists (tables `playlist` and `playlist_track`).
extension StateDatabase {
  /// What was read of the stored playlists, all tracks included.
  struct WholeList: Sendable {
    var list: KeptList
    var entries: [KeptEntry]
  }

  private static let headColumns = "id, name, count, milliseconds, bytes, changed, version"
  /// Far more than are ever kept.
  private static let mostLists = 10_000

  // MARK: Reading

  /// All lists without their tracks, in ascending order of ids.
  func keptHeads() throws(SQLiteError) -> [KeptHead] {
    let rows = try database.prepare(
      "SELECT \(Self.headColumns) FROM playlist ORDER BY id LIMIT \(Self.mostLists)")
    var heads: [KeptHead] = []
    while try rows.step() {
      if let head = Self.head(rows) { heads.append(head) }
    }
    return heads
  }

  /// The list with its order; nil when there is none.
  func keptList(_ id: UInt32) throws(SQLiteError) -> KeptList? {
    let row = try database.prepare("SELECT \(Self.headColumns), places FROM playlist WHERE id = \(id)")
    guard try row.step(), let head = Self.head(row) else { return nil }
    return KeptList(head, places: KeptPlaceCoding.decode(row.bytes(7)))
  }

  private static func head(_ row: Statement) -> KeptHead? {
    guard let id = UInt32(exactly: row.integer(0)), id > 0 else { return nil }
    return KeptHead(
      id: id, name: row.text(1) ?? "", count: Int(clamping: max(0, row.integer(2))),
      milliseconds: max(0, row.integer(3)), bytes: Int(clamping: max(0, row.integer(4))),
      changed: row.integer(5), version: UInt32(truncatingIfNeeded: row.integer(6)))
  }

  /// The tracks with these ids, in their order, as far as they are there.
  ///
  /// - Parameter bytes: where to stop: at least one track is read.
  func keptEntries(_ ids: some Sequence<UInt32>, bytes: Int = .max) throws(SQLiteError) -> [KeptEntry] {
    let row = try database.prepare(
      "SELECT uri, metadata, format, duration, server FROM playlist_track WHERE id = ?")
    var entries: [KeptEntry] = []
    var left = bytes
    for id in ids {
      try row.start(.number(id))
      guard try row.step() else { continue }
      let media = Media(
        uri: row.text(0) ?? "", metadata: row.text(1) ?? "", contentFormat: row.text(2),
        durationHint: row.isNull(3) ? nil : .microseconds(row.integer(3)))
      left -= media.uri.utf8.count + media.metadata.utf8.count
      guard entries.isEmpty || left >= 0 else { break }
      entries.append(KeptEntry(id: id, track: KeptTrack(media, server: row.text(4))))
    }
    return entries
  }

  /// All lists with all their tracks: for a database that is about to be left.
  func wholeLists() throws(SQLiteError) -> [WholeList] {
    var lists: [WholeList] = []
    for head in try keptHeads() {
      guard let list = try keptList(head.id) else { continue }
      lists.append(WholeList(list: list, entries: try keptEntries(list.ids)))
    }
    return lists
  }

  /// All lists of a damaged database as far as they can be read, which is about to be left.
  func readableLists() -> [WholeList] {
    guard let rows = try? database.prepare("SELECT id FROM playlist ORDER BY id LIMIT \(Self.mostLists)")
    else { return [] }
    var lists: [WholeList] = []
    while (try? rows.step()) == true {
      guard let id = UInt32(exactly: rows.integer(0)), let list = try? keptList(id) else { continue }
      let entries = list.ids.compactMap { id in (try? keptEntries([id]))?.first }
      let readable = Set(entries.map(\.id))
      lists.append(
        WholeList(
          list: KeptList(list.head, places: list.places.filter { readable.contains($0.id) }),
          entries: entries))
    }
    return lists
  }

  /// The highest id that `table` has ever had.
  private func lastID(_ table: String) throws(SQLiteError) -> UInt32 {
    UInt32(clamping: try database.number("SELECT seq FROM sqlite_sequence WHERE name = '\(table)'"))
  }

  // MARK: Writing

  /// Carries out an edit, or says why that isn't possible. Call it in a transaction.
  func perform(
    _ edit: KeptEdit, at time: Int64
  ) throws(SQLiteError) -> Result<KeptOutcome, KeptRefusal> {
    let shelf = KeptShelf(
      try keptHeads(), lastList: try lastID("playlist"), lastTrack: try lastID("playlist_track"))
    let list: KeptList? = if let id = edit.command.list { try keptList(id) } else { nil }
    let change: KeptChange
    do throws(KeptRefusal) {
      change = try shelf.change(edit, of: list, at: time)
    } catch {
      return .failure(error)
    }
    try write(change)
    return .success(
      KeptOutcome(
        heads: shelf.taking(change).heads, id: change.id, added: change.added, left: change.left))
  }

  private func write(_ change: KeptChange) throws(SQLiteError) {
    let delete = try database.prepare("DELETE FROM playlist_track WHERE id = ?")
    for id in change.deleted { try delete.run(.number(id)) }
    guard let list = change.list else {
      try database.execute("DELETE FROM playlist WHERE id = \(change.id)")
      return
    }
    try write(list, change.written)
  }

  /// Writes a list that another database had, with its ids.
  func write(_ whole: WholeList) throws(SQLiteError) { try write(whole.list, whole.entries) }

  private func write(_ list: KeptList, _ entries: [KeptEntry]) throws(SQLiteError) {
    let head = list.head
    try database.prepare("INSERT OR REPLACE INTO playlist VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
      .run(
        .number(head.id), .text(head.name), .number(head.count), .integer(head.milliseconds),
        .number(head.bytes), .integer(head.changed), .number(head.version),
        .bytes(KeptPlaceCoding.encode(list.places)))
    let insert = try database.prepare("INSERT OR REPLACE INTO playlist_track VALUES (?, ?, ?, ?, ?, ?)")
    for entry in entries {
      let media = entry.track.media
      try insert.run(
        .number(entry.id), .text(media.uri), .text(media.metadata), media.contentFormat.map { .text($0) },
        media.durationHint.map { .integer($0.microseconds) }, entry.track.server.map { .text($0) })
    }
  }
}

/// The order of a list: id, bytes and milliseconds of each track, as four little-endian bytes each.
enum KeptPlaceCoding {
  private static let length = 12

  static func encode(_ places: [KeptList.Place]) -> [UInt8] {
    TrackIDCoding.encode(places.flatMap { [$0.id, $0.bytes, $0.milliseconds] })
  }

  /// What isn't whole is left out.
  static func decode(_ bytes: [UInt8]) -> [KeptList.Place] {
    let numbers = TrackIDCoding.decode(Array(bytes.prefix(bytes.count / length * length))) ?? []
    return stride(from: 0, to: numbers.count, by: 3).map {
      KeptList.Place(id: numbers[$0], bytes: numbers[$0 + 1], milliseconds: numbers[$0 + 2])
    }
  }
}
