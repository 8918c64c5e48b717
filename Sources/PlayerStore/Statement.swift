import CSQLite

/// A prepared statement; parameters and columns count from 0.
final class Statement {
  private let statement: OpaquePointer
  private let database: OpaquePointer

  init(_ statement: OpaquePointer, of database: OpaquePointer) {
    self.statement = statement
    self.database = database
  }

  deinit { sqlite3_finalize(statement) }

  /// Advances to the next row; false when there is none.
  func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw SQLiteError(code: code, of: database)
    }
  }

  /// Runs a statement that returns no rows, with these values for its parameters.
  func run(_ values: StoreValue?...) throws(SQLiteError) {
    for (index, value) in values.enumerated() { try bind(value, at: index) }
    _ = try step()
    sqlite3_reset(statement)
  }

  /// Begins anew, with this value for the first parameter; ``step()`` gives the rows.
  func start(_ value: StoreValue) throws(SQLiteError) {
    sqlite3_reset(statement)
    try bind(value, at: 0)
  }

  private func bind(_ value: StoreValue?, at index: Int) throws(SQLiteError) {
    let index = Int32(index + 1)
    let code: Int32 =
      switch value {
      case nil: sqlite3_bind_null(statement, index)
      case .integer(let integer): sqlite3_bind_int64(statement, index, integer)
      case .text(var text):
        text.withUTF8 { utf8 in
          utf8.withMemoryRebound(to: CChar.self) { bytes in
            csqlite_bind_text(statement, index, bytes.baseAddress, Int32(clamping: bytes.count))
          }
        }
      case .bytes(let bytes):
        bytes.withUnsafeBytes {
          csqlite_bind_blob(statement, index, $0.baseAddress, Int32(clamping: $0.count))
        }
      }
    guard code == SQLITE_OK else { throw SQLiteError(code: code, of: database) }
  }

  // MARK: The row

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  /// The column as an integer; 0 for a value that isn't a number.
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  /// The column as a string; nil for NULL. Invalid UTF-8 is replaced.
  func text(_ column: Int32) -> String? {
    guard let bytes = sqlite3_column_text(statement, column) else { return nil }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  func bytes(_ column: Int32) -> [UInt8] {
    guard let bytes = sqlite3_column_blob(statement, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
  }

  /// The column as a ``StoreValue``; nil for NULL and for floating-point numbers, which Vireo never writes.
  func value(_ column: Int32) -> StoreValue? {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_TEXT: text(column).map { .text($0) }
    case SQLITE_BLOB: .bytes(bytes(column))
    default: nil
    }
  }
}
