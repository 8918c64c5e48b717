import CSQLite
import Glibc
import Player

/// The database of the state, with these tables:
///
/// - `setting`: one row for each small value.
/// - `track`, `fold`: the playlist; see ``TrackOrder``.
/// - `reports`: what was heard and hasn't been reported yet; see ``StoredReport``.
/// - `playlist`, `playlist_track`: stored playlists, each with its order (``KeptPlaceCoding``).
struct StateDatabase {
  /// SQL statements that migrate the tables from one version to the next.
  typealias Step = [String]
  /// All migrations, the first of which starts from an empty file. Their count is the version that is written (SQLite,
  /// `user_version`). Never edit a released step, not even its whitespace (see ``check()``); append a new one instead.
  static let steps: [Step] = [
    [
      "CREATE TABLE setting (name TEXT PRIMARY KEY, value) WITHOUT ROWID",
      // A row without a URI is what remains of a deleted track.
      """
      CREATE TABLE track (
        id INTEGER PRIMARY KEY, after INTEGER NOT NULL, uri TEXT, metadata TEXT, format TEXT, duration INTEGER)
      """,
      "CREATE TABLE fold (only INTEGER PRIMARY KEY, last INTEGER NOT NULL, ids BLOB NOT NULL)",
    ],
    [
      """
      CREATE TABLE reports (
        seq INTEGER PRIMARY KEY, sink TEXT NOT NULL, kind TEXT NOT NULL, boot TEXT NOT NULL, at INTEGER NOT NULL,
        date INTEGER, body TEXT NOT NULL)
      """
    ],
    // Ids are never given again, so that who remembers one finds that list or none.
    [
      """
      CREATE TABLE playlist (
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, count INTEGER NOT NULL,
        milliseconds INTEGER NOT NULL, bytes INTEGER NOT NULL, changed INTEGER NOT NULL, version INTEGER NOT NULL,
        places BLOB NOT NULL)
      """,
      """
      CREATE TABLE playlist_track (
        id INTEGER PRIMARY KEY AUTOINCREMENT, uri TEXT NOT NULL, metadata TEXT NOT NULL, format TEXT,
        duration INTEGER, server TEXT)
      """,
    ],
  ]
  /// "Vire": marks the file as ours (SQLite, `application_id`).
  private static let applicationID: Int64 = 0x5669_7265
  /// The page size of a new file; an existing one keeps its own. The write-ahead log stores whole pages. With one track
  /// in each, an insert writes three small ones: the track's, the one that points to it, and the first of the file.
  /// Smaller pages would take longer to read.
  private static let pageBytes: Int64 = 1024
  /// The size at which the write-ahead log is copied back. Small, so that this is done quickly when the daemon stops.
  private static let logBytes: Int64 = 1 << 20

  let database: Database

  /// Opens the file and, unless it is read-only, migrates it to the newest version.
  ///
  /// - Throws: ``Problem/newer(_:)`` when a later release has written it; ``Problem/sqlite(_:)`` for SQLite's errors.
  init(path: String, mode: Database.Mode, steps: [Step] = Self.steps) throws(Problem) {
    do throws(SQLiteError) {
      database = try Database(path: path, mode: mode)
      try Self.tune(database)
      try Self.checkApplication(of: database)
      // The permissions allow writing, so the header must name a later file format.
      if mode == .readWrite, database.isReadOnly, access(path, W_OK) == 0 {
        throw SQLiteError.damaged("its header allows no writing")
      }
    } catch {
      throw .sqlite(error)
    }
    let version: Int64
    do throws(SQLiteError) {
      version = try database.number("PRAGMA user_version")
    } catch {
      throw .sqlite(error)
    }
    guard (0...Int64(steps.count)).contains(version) else { throw .newer(version) }
    guard mode == .readWrite else { return }
    do throws(SQLiteError) {
      try Self.journal(database)
      for (index, step) in steps.enumerated().dropFirst(Int(version)) {
        try Self.take(step, to: index + 1, in: database)
      }
    } catch {
      throw .sqlite(error)
    }
  }

  /// Runs one migration in a transaction, so that a power failure can't leave half of it.
  private static func take(_ step: Step, to version: Int, in database: Database) throws(SQLiteError) {
    try database.transaction { () throws(SQLiteError) in
      for statement in step { try database.execute(statement) }
      try database.execute("PRAGMA application_id = \(applicationID)")
      try database.execute("PRAGMA user_version = \(version)")
    }
  }

  private static func tune(_ database: Database) throws(SQLiteError) {
    // No other process needs access while we run. Exclusive locking avoids shared memory, and with it one file.
    try database.execute("PRAGMA locking_mode = EXCLUSIVE")
    // Waits for a previous daemon that is just exiting.
    try database.execute("PRAGMA busy_timeout = 1000")
    try database.execute("PRAGMA cache_size = -256")
    try database.execute("PRAGMA temp_store = MEMORY")
    try database.execute("PRAGMA trusted_schema = OFF")
    try database.execute("PRAGMA cell_size_check = ON")
    // By default, Debian's SQLite overwrites deleted content with zeros: a whole playlist for one DeleteAll.
    try database.execute("PRAGMA secure_delete = OFF")
  }

  private static func checkApplication(of database: Database) throws(SQLiteError) {
    let id = try database.number("PRAGMA application_id")
    let isNew = try database.number("SELECT count(*) FROM sqlite_schema") == 0
    guard id == applicationID || (isNew && id == 0) else { throw .damaged("it isn't Vireo's") }
  }

  private static func journal(_ database: Database) throws(SQLiteError) {
    try database.execute("PRAGMA page_size = \(pageBytes)")
    try database.execute("PRAGMA auto_vacuum = NONE")
    let mode = try database.prepare("PRAGMA journal_mode = WAL")
    _ = try mode.step()
    guard mode.text(0) == "wal" else {
      throw SQLiteError(code: SQLITE_READONLY, message: "the file system doesn't allow a write-ahead log")
    }
    // Each commit is on the disk when it returns, so that a power failure loses no more than a kill does. Commits are
    // rare.
    try database.execute("PRAGMA synchronous = FULL")
    let pages = logBytes / max(try database.number("PRAGMA page_size"), 512)
    try database.execute("PRAGMA wal_autocheckpoint = \(pages)")
    try database.execute("PRAGMA journal_size_limit = \(logBytes)")
  }

  /// Moves everything from the write-ahead log into the database, and leaves the log empty.
  func emptyLog() throws(SQLiteError) { try database.execute("PRAGMA wal_checkpoint(TRUNCATE)") }

  // MARK: Reading

  /// The playlist, and how its rows are ordered.
  func playlist() throws(SQLiteError) -> (order: TrackOrder, tracks: PlaylistTracks) {
    var tracks: [UInt32: PlaylistTrack] = [:]
    let order = try self.tracks { tracks[$0.id] = $0 }
    return (order, PlaylistTracks(order.ids.lazy.compactMap { tracks[$0] }, lastID: order.lastID))
  }

  func values() throws(SQLiteError) -> [String: StoreValue] {
    // Our names are of type text. The same name as another type would be a separate row that no write replaces.
    let rows = try database.prepare("SELECT name, value FROM setting WHERE typeof(name) = 'text'")
    var result: [String: StoreValue] = [:]
    while try rows.step() { if let name = rows.text(0) { result[name] = rows.value(1) } }
    return result
  }

  /// Checks the integrity of the whole file, which reads all of it.
  ///
  /// - Throws: ``SQLiteError`` of the kind `damaged` when its tables aren't ours or SQLite finds an error.
  func check() throws(SQLiteError) {
    // A different definition of a table may accept a write without keeping it: without a primary key, nothing is
    // replaced.
    let ours = try Database(path: ":memory:", mode: .readWrite)
    let version = Int(clamping: try database.number("PRAGMA user_version"))
    for statement in Self.steps.prefix(version).joined() { try ours.execute(statement) }
    guard try Self.tables(of: database) == Self.tables(of: ours) else {
      throw .damaged("its tables aren't ours")
    }
    // `quick_check` misses rows that are out of order, which SQLite can't find when it should replace them.
    let rows = try database.prepare("PRAGMA integrity_check(1)")
    guard try rows.step(), let found = rows.text(0), found != "ok" else { return }
    throw .damaged(found)
  }

  private static func tables(of database: Database) throws(SQLiteError) -> [String] {
    let rows = try database.prepare("SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY name")
    var result: [String] = []
    while try rows.step() { result.append(rows.text(0) ?? "") }
    return result
  }

  /// Reads the playlist: returns its order and calls `take` with each track in ascending order of IDs.
  func tracks(_ take: (PlaylistTrack) -> Void) throws(SQLiteError) -> TrackOrder {
    var replay = try TrackReplay(fold: fold())
    let rows = try database.prepare(
      "SELECT id, after, uri IS NULL, uri, metadata, format, duration FROM track ORDER BY id")
    while try rows.step() {
      guard let id = UInt32(exactly: rows.integer(0)), let after = UInt32(exactly: rows.integer(1)) else {
        throw .damaged("an id is out of range")
      }
      let isDeleted = rows.integer(2) != 0
      try replay.add(id: id, after: after, isDeleted: isDeleted)
      guard !isDeleted else { continue }
      let media = Media(
        uri: rows.text(3) ?? "", metadata: rows.text(4) ?? "", contentFormat: rows.text(5),
        durationHint: rows.isNull(6) ? nil : .microseconds(rows.integer(6)))
      take(PlaylistTrack(id: id, media: media))
    }
    return replay.order()
  }

  private func fold() throws(SQLiteError) -> (last: UInt32, ids: [UInt32]) {
    let row = try database.prepare("SELECT only, last, ids FROM fold")
    guard try row.step() else { return (0, []) }
    guard row.integer(0) == 0, let last = UInt32(exactly: row.integer(1)),
      let ids = TrackIDCoding.decode(row.bytes(2)),
      try !row.step()
    else { throw .damaged("the order of the playlist is unreadable") }
    return (last, ids)
  }

  // MARK: Writing

  func write(_ rows: [StoreRow]) throws(SQLiteError) {
    let replace = try database.prepare("INSERT OR REPLACE INTO setting VALUES (?, ?)")
    let delete = try database.prepare("DELETE FROM setting WHERE name = ?")
    for row in rows {
      if let value = row.value {
        try replace.run(.text(row.name), value)
      } else {
        try delete.run(.text(row.name))
      }
    }
  }

  /// Writes the changes to the playlist.
  ///
  /// - Parameters:
  ///   - difference: The changes.
  ///   - order: The order in the database before the changes.
  ///   - tracks: The new playlist.
  func write(_ difference: TrackOrder.Difference, from order: TrackOrder, to tracks: PlaylistTracks)
    throws(SQLiteError)
  {
    if difference.clears { try database.execute("DELETE FROM track") }
    if difference.folds {
      try delete(difference.deleted + difference.emptied)
      try database.execute("DELETE FROM track WHERE id > \(order.foldedThrough) AND uri IS NULL")
    } else {
      try delete(difference.deleted)
      try empty(difference.emptied)
    }
    try insert(difference.inserted, of: tracks)
    if difference.folds {
      let last = max(tracks.lastID, order.lastID)
      try database.prepare("INSERT OR REPLACE INTO fold VALUES (0, ?, ?)")
        .run(.number(last), .bytes(TrackIDCoding.encode(tracks.ids)))
    }
  }

  private func delete(_ ids: [UInt32]) throws(SQLiteError) {
    let statement = try database.prepare("DELETE FROM track WHERE id = ?")
    for id in ids { try statement.run(.number(id)) }
  }

  private func empty(_ ids: [UInt32]) throws(SQLiteError) {
    let statement = try database.prepare(
      "UPDATE track SET uri = NULL, metadata = NULL, format = NULL, duration = NULL WHERE id = ?")
    for id in ids { try statement.run(.number(id)) }
  }

  private func insert(_ insertions: [TrackOrder.Insertion], of tracks: PlaylistTracks) throws(SQLiteError) {
    let statement = try database.prepare("INSERT OR REPLACE INTO track VALUES (?, ?, ?, ?, ?, ?)")
    for insertion in insertions {
      guard let media = tracks[insertion.id] else { continue }
      try statement.run(
        .number(insertion.id), .number(insertion.after), .text(media.uri), .text(media.metadata),
        media.contentFormat.map { .text($0) }, media.durationHint.map { .integer($0.microseconds) })
    }
  }
}
