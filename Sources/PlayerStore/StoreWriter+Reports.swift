/// Reports of what was heard, which wait for their servers.
extension StoreWriter {
  /// The reports that are kept; none where they can't be read.
  func reportPlaces() -> [StoredReportPlace] {
    guard let database = database ?? readOnly else { return [] }
    defer { database.database.releaseMemory() }
    return (try? database.reportPlaces()) ?? []
  }

  /// Those of `seqs` that are kept.
  func reports(_ seqs: [Int64]) -> [StoredReport] {
    guard let database else { return [] }
    defer { database.database.releaseMemory() }
    return (try? database.reports(seqs)) ?? []
  }
}
