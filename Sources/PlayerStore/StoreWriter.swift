import Kept
import Logging
import Player

/// Reads and writes the database. Its methods block; call them from one thread at a time.
struct StoreWriter {
  let directory: StoreDirectory
  private var log: StoreLog
  /// The open database; nil while it can't be written, or doesn't exist yet.
  private(set) var database: StateDatabase?
  /// The database as found at the start, when it can be read but not written.
  private(set) var readOnly: StateDatabase?
  /// True once the state on disk has been read, so that a save may replace it. A database that was never read is never
  /// overwritten.
  private var isRead = false
  /// True when another process has the database open; nothing is saved in this run.
  private var isInUse = false
  private var isClosed = false
  /// Which file ``database`` is.
  private var identity: FileIdentity?
  /// True when the open database was found deleted or replaced; see ``takeRecovery()``.
  private var isLost = false
  /// The playlist of the database that was lost.
  private var rescued: PlaylistTracks?
  /// The reports of that database.
  private var rescuedReports: [StoredReport] = []
  /// The stored playlists of that database.
  private var rescuedLists: [StateDatabase.WholeList] = []
  /// The stored playlists as found at the start.
  private(set) var keptHeads: [KeptHead] = []
  /// What has become of the last edit of them.
  var keptResult: Result<KeptOutcome, KeptRefusal>?
  /// How many edits of them were carried out in this run.
  var keptEdits = 0
  /// The rows in the database.
  private var stored: [String: StoreValue] = [:]
  private var values: [String: StoreValue] = [:]
  /// The playlist's order in the database; nil until the tracks have been read.
  private var order: TrackOrder?
  /// The number of tracks that the last save removed.
  private(set) var deletedTracks = 0

  init(directory: StoreDirectory, logger: Logger) {
    self.directory = directory
    log = StoreLog(directory: directory.path, logger: logger)
  }

  // MARK: Start

  /// Opens the database if there is one. An unusable database is set aside; one that can't be written is opened for
  /// reading.
  ///
  /// A missing database is created by the first save, since that takes the disk a while and a start shouldn't wait for
  /// it.
  mutating func open() -> HostState {
    if let obstacle = directory.obstacle {
      log.failed(.obstructed(obstacle))
      return StoreCoding.decodeHost(values)
    }
    guard directory.hasFile else { return StoreCoding.decodeHost(values) }
    do throws(StateDatabase.Problem) {
      try connect()
      isRead = true
    } catch {
      isInUse = error.isInUse
      if !isInUse, let found = try? StateDatabase(path: directory.file, mode: .readOnly),
        let rows = try? found.values()
      {
        readOnly = found
        stored = rows
        isRead = true
      }
      log.failed(error)
    }
    values = stored
    return StoreCoding.decodeHost(values)
  }

  /// False when another process owns the state, so that nothing is saved in this run.
  var maySave: Bool { !isInUse }
  /// True when there is no state yet, so that there is nothing to be read.
  var readsNothing: Bool { isRead ? stored.isEmpty : !directory.hasFile }

  /// Reads the saved player; nil when none was ever saved.
  mutating func load() -> PlayerSnapshot? {
    var tracks = PlaylistTracks()
    do throws(SQLiteError) {
      if let database = database ?? readOnly {
        defer { database.database.releaseMemory() }
        try database.check()
        (order, tracks) = try database.playlist()
        keptHeads = (try? database.keptHeads()) ?? []
      }
      readOnly = nil
    } catch {
      // Whole lists that people have made outlive damage elsewhere in the file.
      rescuedLists = database?.readableLists() ?? []
      keptHeads = rescuedLists.map(\.list.head)
      // Close before a new database is created: closing deletes the write-ahead log by name, and that would be the new
      // one's.
      database = nil
      readOnly = nil
      tracks = PlaylistTracks()
      lose(error)
    }
    guard let player = StoreCoding.decodePlayer(values, hasTracks: tracks.lastID > 0) else { return nil }
    return PlayerSnapshot(player: player, tracks: tracks)
  }

  // MARK: Saving

  /// Writes what differs from the database. Returns false when that fails.
  mutating func save(_ wanted: SavePlan.Wanted) -> Bool {
    if let host = wanted.host { take(StoreCoding.encode(host)) }
    if let snapshot = wanted.player { take(StoreCoding.encode(snapshot.player)) }
    guard !isInUse, !isClosed else { return true }
    do throws(StateDatabase.Problem) {
      do throws(StateDatabase.Problem) {
        try write(wanted)
      } catch {
        guard database != nil, let reason = error.unusable else { throw error }
        if rescuedLists.isEmpty { rescuedLists = database?.readableLists() ?? [] }
        database = nil
        guard setAside(reason) else { throw error }
        try write(wanted)
      }
    } catch {
      log.failed(error)
      // Nothing was read at the start, so another process has created the database since then and owns it now.
      isInUse = error.isInUse && !isRead
      return false
    }
    log.succeeded()
    return true
  }

  /// Writes everything again if the database was deleted or replaced since the last save. Returns false when that fails.
  mutating func saveIfLost() -> Bool {
    guard isLost || (database != nil && directory.identity != identity) else { return true }
    return save(SavePlan.Wanted())
  }

  /// True once after everything was saved again.
  mutating func takeRecovery() -> Bool {
    defer { if database != nil { isLost = false } }
    return isLost && database != nil
  }

  /// Closes the database, which merges the write-ahead log into it. Nothing is saved from now on.
  mutating func close() {
    isClosed = true
    database = nil
    readOnly = nil
  }

  private mutating func take(_ rows: [StoreRow]) {
    for row in rows { values[row.name] = row.value }
  }

  private mutating func write(_ wanted: SavePlan.Wanted) throws(StateDatabase.Problem) {
    deletedTracks = 0
    try leaveLost()
    if database == nil { try reconnect() }
    guard let database else { return }
    let tracks = wanted.player?.tracks ?? rescued
    let reports = ReportChange(inserting: rescuedReports, then: wanted.reports)
    let lists = rescuedLists
    let changes =
      values.filter { stored[$0.key] != $0.value }.map { StoreRow($0.key, $0.value) }
      + stored.keys.filter { values[$0] == nil }.map { StoreRow($0, nil) }
    do throws(SQLiteError) {
      var order = TrackOrder()
      var difference = TrackOrder.Difference()
      if let tracks {
        if let known = self.order { order = known } else { order = try database.tracks { _ in } }
        difference = order.difference(to: tracks.ids, lastID: tracks.lastID)
      }
      var kept: Result<KeptOutcome, KeptRefusal>?
      guard
        !changes.isEmpty || !difference.isEmpty || reports != nil || wanted.lists != nil || !lists.isEmpty
      else {
        rescued = nil
        return
      }
      try database.database.transaction { () throws(SQLiteError) in
        try database.write(changes)
        if let tracks, !difference.isEmpty { try database.write(difference, from: order, to: tracks) }
        if let reports { try database.write(reports) }
        for list in lists { try database.write(list) }
        if let lists = wanted.lists { kept = try database.perform(lists.edit, at: lists.time) }
      }
      database.database.releaseMemory()
      stored = values
      if let tracks {
        deletedTracks = max(order.ids.count - tracks.count, 0)
        order.take(difference, to: tracks.ids, lastID: tracks.lastID)
        self.order = order
      }
      rescued = nil
      rescuedReports = []
      rescuedLists = []
      keptResult = kept
    } catch {
      throw .sqlite(error)
    }
  }

  // MARK: The file

  /// Leaves a database that has lost its name, since no later start would find what is written to it.
  ///
  /// The playlist is read from it: the store doesn't keep the tracks, since the player would then have to copy them at
  /// its next change.
  private mutating func leaveLost() throws(StateDatabase.Problem) {
    guard let lost = database, directory.identity != identity else { return }
    do throws(SQLiteError) {
      // The log may still have its name, and would then be applied to a new database.
      try lost.emptyLog()
    } catch {
      throw .sqlite(error)
    }
    if rescued == nil { rescued = try? lost.playlist().tracks }
    if rescuedReports.isEmpty { rescuedReports = (try? lost.allReports()) ?? [] }
    if rescuedLists.isEmpty { rescuedLists = (try? lost.wholeLists()) ?? [] }
    if !directory.hasFile { log.deleted(directory.file) }
    database = nil
    isLost = true
    // What is there now was never read.
    isRead = false
  }

  /// Opens or creates the database. An unusable one is set aside and replaced by a new one.
  private mutating func connect() throws(StateDatabase.Problem) {
    // SQLite would block forever while opening a named pipe.
    if let obstacle = directory.obstacle { throw .obstructed(obstacle) }
    directory.prepare()
    do throws(StateDatabase.Problem) {
      try attach()
    } catch {
      guard let reason = error.unusable, setAside(reason) else { throw error }
      directory.prepare()
      try attach()
    }
  }

  private mutating func attach() throws(StateDatabase.Problem) {
    let opened = try StateDatabase(path: directory.file, mode: .readWrite)
    do throws(SQLiteError) {
      stored = try opened.values()
    } catch {
      throw .sqlite(error)
    }
    order = nil
    identity = directory.identity
    database = opened
  }

  /// Connects for the first save, or when the directory may have become writable.
  private mutating func reconnect() throws(StateDatabase.Problem) {
    try connect()
    guard !isRead else { return }
    isRead = true
    guard !stored.isEmpty else { return }
    database = nil
    let reason = StateDatabase.Unusable(
      text: "it could not be read at the start", suffix: "unread-\(StoreDirectory.timestamp())")
    guard isLost ? setReplacementAside() : setAside(reason) else { return }
    try connect()
  }

  /// Keeps the file that took the place of the database. The state of this run is the one that is saved: it is what
  /// people see and change, and a file that they put there isn't lost.
  private func setReplacementAside() -> Bool {
    guard let name = directory.setAside(suffix: "replaced-\(StoreDirectory.timestamp())") else {
      log.setAside(directory.file, "another file took its place", keptAs: nil)
      return false
    }
    log.replaced(directory.file, keptAs: name)
    return true
  }

  /// Handles unreadable tracks: sets the database aside and writes the values, which could be read, to a new one.
  private mutating func lose(_ error: SQLiteError) {
    let suffix = "damaged-\(StoreDirectory.timestamp())"
    let reason = StateDatabase.Problem.sqlite(error).unusable
    guard setAside(reason ?? .init(text: "it can't be read: \(error.message)", suffix: suffix)) else {
      isRead = false
      return
    }
    stored = [:]
    _ = save(SavePlan.Wanted())
  }

  private func setAside(_ reason: StateDatabase.Unusable) -> Bool {
    let keptAs = directory.setAside(suffix: reason.suffix)
    log.setAside(directory.file, reason.text, keptAs: keptAs)
    return keptAs != nil
  }
}
