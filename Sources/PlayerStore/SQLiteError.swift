import CSQLite
import Glibc

/// What SQLite refused, and why.
struct SQLiteError: Error, Equatable {
  enum Kind: Equatable {
    /// The file's contents are not what was written to it.
    case damaged
    /// Another process has it.
    case inUse
    /// The place can't be read or written, now at least.
    case unavailable
  }

  /// SQLite's extended result code.
  let code: Int32
  let message: String

  init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  /// The last error of a connection; of none when there wasn't the memory for one.
  init(code: Int32, of handle: OpaquePointer?) {
    var text = String(cString: sqlite3_errstr(code))
    if let handle {
      text = String(cString: sqlite3_errmsg(handle))
      let system = sqlite3_system_errno(handle)
      if system != 0, [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL, SQLITE_READONLY].contains(code & 0xff) {
        text += " (\(String(cString: strerror(system))))"
      }
    }
    self.init(code: code, message: text)
  }

  /// For contents that SQLite takes but that can't be ours.
  static func damaged(_ message: String) -> SQLiteError {
    SQLiteError(code: SQLITE_CORRUPT, message: message)
  }

  var kind: Kind {
    switch code & 0xff {
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_MISMATCH, SQLITE_CONSTRAINT, SQLITE_ERROR,
      SQLITE_SCHEMA, SQLITE_TOOBIG, SQLITE_NOMEM:
      // SQLITE_ERROR is a statement that doesn't fit the tables: they aren't ours. And memory for what we keep there always is;
      // a length that was damaged asks for more.
      .damaged
    case SQLITE_BUSY, SQLITE_LOCKED: .inUse
    default: .unavailable
    }
  }
}
