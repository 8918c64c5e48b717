import CSQLite

/// A connection to an SQLite database, for one thread at a time.
final class Database {
  enum Mode {
    /// Creates a missing file.
    case readWrite
    /// For a location where nothing can be written, not even locks.
    case readOnly
  }

  private let handle: OpaquePointer

  init(path: String, mode: Mode) throws(SQLiteError) {
    var handle: OpaquePointer?
    let code =
      switch mode {
      case .readWrite:
        sqlite3_open_v2(
          path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
      case .readOnly:
        sqlite3_open_v2(
          Self.immutableURI(path), &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
      }
    guard code == SQLITE_OK, let handle else {
      let error = SQLiteError(code: code, of: handle)
      sqlite3_close_v2(handle)
      throw error
    }
    sqlite3_extended_result_codes(handle, 1)
    // Vireo never writes a value of more than 16 MB.
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 1 << 24)
    self.handle = handle
  }

  deinit { sqlite3_close_v2(handle) }

  /// Runs statements that return no rows, or whose rows don't matter.
  func execute(_ sql: String) throws(SQLiteError) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
    guard let statement else { throw SQLiteError(code: SQLITE_MISUSE, message: "an empty statement") }
    return Statement(statement, of: handle)
  }

  /// Returns the first column of the first row as an integer; 0 without a row.
  func number(_ sql: String) throws(SQLiteError) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : 0
  }

  /// Runs `body` in a transaction, which is rolled back when it throws.
  func transaction(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
    try execute("BEGIN IMMEDIATE")
    do throws(SQLiteError) {
      try body()
      try execute("COMMIT")
    } catch {
      // After some errors SQLite has already rolled back.
      if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// True when either the file's permissions or its header forbid writing. Known only after the first read.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Frees memory that SQLite keeps only for speed.
  func releaseMemory() { sqlite3_db_release_memory(handle) }

  private func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw SQLiteError(code: code, of: handle) }
  }

  private static func immutableURI(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF")
    var uri = "file:"
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
        uri += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      default: uri.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return uri + "?immutable=1"
  }
}
