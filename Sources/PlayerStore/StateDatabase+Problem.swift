extension StateDatabase {
  /// Why the database can't be used or written.
  enum Problem: Error, Equatable {
    case sqlite(SQLiteError)
    /// A later Vireo wrote it; saving would lose what this version doesn't know.
    case newer(Int64)
    /// Something else occupies its path; the string says what, and where.
    case obstructed(String)
  }

  /// Why a database must be set aside.
  struct Unusable: Equatable {
    let text: String
    /// The suffix of its new name.
    let suffix: String
  }
}

extension StateDatabase.Problem {
  var isInUse: Bool {
    if case .sqlite(let error) = self { error.kind == .inUse } else { false }
  }

  /// Why the file must be set aside; nil when the file itself may be all right.
  var unusable: StateDatabase.Unusable? {
    switch self {
    case .newer(let version):
      StateDatabase.Unusable(
        text: "a later Vireo wrote it (version \(version))", suffix: "version-\(version)")
    case .sqlite(let error) where error.kind == .damaged:
      StateDatabase.Unusable(
        text: "it is damaged (\(error.message))", suffix: "damaged-\(StoreDirectory.timestamp())")
    case .sqlite, .obstructed: nil
    }
  }
}
