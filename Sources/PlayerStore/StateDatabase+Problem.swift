extension StateDatabase {
  /// Why there is no database to work with.
  enum Problem: Error, Equatable {
    case sqlite(SQLiteError)
    /// A later Vireo wrote it: what this one doesn't know it would lose.
    case newer(Int64)
  }

  /// A file that has to go out of the way.
  struct Unusable: Equatable {
    let text: String
    /// For its new name.
    let suffix: String
  }
}

extension StateDatabase.Problem {
  var isInUse: Bool {
    if case .sqlite(let error) = self { error.kind == .inUse } else { false }
  }

  /// Nil when the file may well be all right.
  var unusable: StateDatabase.Unusable? {
    switch self {
    case .newer(let version):
      StateDatabase.Unusable(
        text: "a later Vireo wrote it (version \(version))", suffix: "version-\(version)")
    case .sqlite(let error) where error.kind == .damaged:
      StateDatabase.Unusable(
        text: "it is damaged (\(error.message))", suffix: "damaged-\(StoreDirectory.timestamp())")
    case .sqlite: nil
    }
  }
}
