import Logging
import Player

/// Reads and writes the database. Blocks; for one thread at a time.
struct StoreWriter {
  private let directory: StoreDirectory
  private var log: StoreLog
  /// Nil while nothing can be written.
  private var database: StateDatabase?
  /// What was there at the start where nothing can be written.
  private var readOnly: StateDatabase?
  /// What the database held at the start is in ``settings``, or going to be loaded; what was never read is never
  /// overwritten.
  private var isRead = false
  /// Another process has the database; nothing is saved in this run.
  private var isInUse = false
  private var isClosed = false
  /// The rows that the database has, and those that it should have.
  private var stored: [String: StoreValue] = [:]
  private var settings: [String: StoreValue] = [:]
  /// Nil until the tracks were read.
  private var order: TrackOrder?
  /// Tracks that the last save took out.
  private(set) var deletedTracks = 0

  init(directory: StoreDirectory, logger: Logger) {
    self.directory = directory
    log = StoreLog(directory: directory.path, logger: logger)
  }

  // MARK: Start

  /// Opens the database; one that can't be used is set aside, one that can't be written is read at least. One that is
  /// absent is made when there is something to save: that takes the disk a while, and a start shouldn't wait for it.
  mutating func open() -> HostState {
    guard directory.hasFile else { return SettingsCoding.decodeHost(settings) }
    do throws(StateDatabase.Problem) {
      try connect()
      isRead = true
    } catch {
      isInUse = error.isInUse
      if !isInUse, let found = try? StateDatabase(path: directory.file, mode: .readOnly),
        let rows = try? found.settings()
      {
        readOnly = found
        stored = rows
        isRead = true
      }
      log.failed(error)
    }
    settings = stored
    return SettingsCoding.decodeHost(settings)
  }

  /// Nil when no player was ever saved.
  mutating func load() -> PlayerSnapshot? {
    var tracks: [UInt32: PlaylistTrack] = [:]
    do throws(SQLiteError) {
      try loadTracks(into: &tracks)
      readOnly = nil
    } catch {
      // Closed before another database takes its place: closing removes the log by its name.
      database = nil
      readOnly = nil
      tracks = [:]
      lose(error)
    }
    let lastID = order?.lastID ?? 0
    guard let settings = SettingsCoding.decodeSettings(settings, hasTracks: lastID > 0) else { return nil }
    let list = (order?.ids ?? []).lazy.compactMap { tracks[$0] }
    return PlayerSnapshot(settings: settings, tracks: PlaylistTracks(list, lastID: lastID))
  }

  private mutating func loadTracks(into tracks: inout [UInt32: PlaylistTrack]) throws(SQLiteError) {
    guard let database = database ?? readOnly else { return }
    defer { database.database.releaseMemory() }
    try database.check()
    order = try database.tracks { tracks[$0.id] = $0 }
  }

  // MARK: Saving

  /// Writes what differs; false when the disk refuses.
  mutating func save(_ wanted: SavePlan.Wanted) -> Bool {
    if let host = wanted.host { take(SettingsCoding.encode(host)) }
    if let player = wanted.player { take(SettingsCoding.encode(player.settings)) }
    guard !isInUse, !isClosed else { return true }
    do throws(StateDatabase.Problem) {
      do throws(StateDatabase.Problem) {
        try write(wanted.player?.tracks)
      } catch {
        guard database != nil, let reason = error.unusable else { throw error }
        database = nil
        guard setAside(reason) else { throw error }
        try write(wanted.player?.tracks)
      }
    } catch {
      log.failed(error)
      // Where nothing was to be read at the start, another process has made the database since, and lives by it.
      isInUse = error.isInUse && !isRead
      return false
    }
    log.succeeded()
    return true
  }

  /// Gives the files back, with everything in one of them. Nothing is saved from now on.
  mutating func close() {
    isClosed = true
    database = nil
    readOnly = nil
  }

  private mutating func take(_ rows: [SettingRow]) {
    for row in rows { settings[row.name] = row.value }
  }

  private mutating func write(_ tracks: PlaylistTracks?) throws(StateDatabase.Problem) {
    deletedTracks = 0
    if database == nil { try reconnect() }
    guard let database else { return }
    let changes =
      settings.filter { stored[$0.key] != $0.value }.map { SettingRow($0.key, $0.value) }
      + stored.keys.filter { settings[$0] == nil }.map { SettingRow($0, nil) }
    do throws(SQLiteError) {
      var order = TrackOrder()
      var difference = TrackOrder.Difference()
      if let tracks {
        if let known = self.order { order = known } else { order = try database.tracks { _ in } }
        difference = order.difference(to: tracks.ids, lastID: tracks.lastID)
      }
      guard !changes.isEmpty || !difference.isEmpty else { return }
      try database.database.transaction { () throws(SQLiteError) in
        try database.write(changes)
        if let tracks, !difference.isEmpty { try database.write(difference, from: order, to: tracks) }
      }
      database.database.releaseMemory()
      stored = settings
      if let tracks {
        deletedTracks = max(order.ids.count - tracks.count, 0)
        order.take(difference, to: tracks.ids, lastID: tracks.lastID)
        self.order = order
      }
    } catch {
      throw .sqlite(error)
    }
  }

  // MARK: The file

  /// Opens the database, or a new one when that which is there can't be used.
  private mutating func connect() throws(StateDatabase.Problem) {
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
      stored = try opened.settings()
    } catch {
      throw .sqlite(error)
    }
    order = nil
    database = opened
  }

  /// For the first save, or when the place may be written to by now.
  private mutating func reconnect() throws(StateDatabase.Problem) {
    try connect()
    guard !isRead else { return }
    isRead = true
    guard !stored.isEmpty else { return }
    database = nil
    guard
      setAside(
        .init(text: "it could not be read at the start", suffix: "unread-\(StoreDirectory.timestamp())"))
    else { return }
    try connect()
  }

  /// The tracks can't be read; the settings were, and go into the new database.
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
