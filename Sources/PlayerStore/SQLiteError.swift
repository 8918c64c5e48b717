import CSQLite
import Glibc

/// An error of SQLite, or contents that can't be Vireo's.
struct SQLiteError: Error, Equatable {
  enum Kind: Equatable {
    /// The file's contents are not what was written to it.
    case damaged
    /// Another process has locked it.
    case inUse
    /// The file can't be read or written, at least for now.
    case unavailable
  }

  /// SQLite's extended result code.
  let code: Int32
  let message: String

  init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  /// Describes the last error of a connection, or just `code` when there was no memory for a connection.
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

  /// An error for contents that SQLite accepts but that can't be Vireo's.
  static func damaged(_ message: String) -> SQLiteError {
    SQLiteError(code: SQLITE_CORRUPT, message: message)
  }

  var kind: Kind {
    switch code & 0xff {
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_MISMATCH, SQLITE_CONSTRAINT, SQLITE_ERROR,
      SQLITE_SCHEMA, SQLITE_TOOBIG, SQLITE_NOMEM:
      // SQLITE_ERROR means that a statement doesn't fit the tables, so they aren't ours. There is always enough memory
      // for the values that we keep; SQLITE_NOMEM means that a damaged length asks for more.
      .damaged
    case SQLITE_BUSY, SQLITE_LOCKED: .inUse
    default: .unavailable
    }
  }
}
