/// Reports of what was heard, which wait for their servers (table `reports`).
extension StateDatabase {
  /// Far more than are ever kept.
  private static let mostReports = 100_000

  /// All reports that are kept, without their contents, in ascending order.
  func reportPlaces() throws(SQLiteError) -> [StoredReportPlace] {
    let rows = try database.prepare(
      "SELECT seq, sink, boot, at, date, length(CAST(body AS BLOB)) FROM reports ORDER BY seq LIMIT \(Self.mostReports)"
    )
    var places: [StoredReportPlace] = []
    while try rows.step() {
      places.append(
        StoredReportPlace(
          seq: rows.integer(0), sink: rows.text(1) ?? "", boot: rows.text(2) ?? "", at: rows.integer(3),
          date: rows.isNull(4) ? nil : rows.integer(4), bytes: Int(clamping: rows.integer(5))))
    }
    return places
  }

  /// Those of `seqs` that are kept, in their order.
  func reports(_ seqs: some Sequence<Int64>) throws(SQLiteError) -> [StoredReport] {
    var reports: [StoredReport] = []
    for seq in seqs {
      let row = try database.prepare(
        "SELECT sink, kind, boot, at, date, body FROM reports WHERE seq = \(seq)")
      guard try row.step() else { continue }
      reports.append(
        StoredReport(
          seq: seq, sink: row.text(0) ?? "", kind: row.text(1) ?? "", boot: row.text(2) ?? "",
          at: row.integer(3), date: row.isNull(4) ? nil : row.integer(4), body: row.text(5) ?? ""))
    }
    return reports
  }

  func allReports() throws(SQLiteError) -> [StoredReport] { try reports(reportPlaces().map(\.seq)) }

  func write(_ change: ReportChange) throws(SQLiteError) {
    // Those that are new have their dates already.
    if !change.dated.isEmpty {
      let date = try database.prepare("UPDATE reports SET date = at + ? WHERE boot = ?")
      for (boot, offset) in change.dated { try date.run(.integer(offset), .text(boot)) }
    }
    let insert = try database.prepare("INSERT OR REPLACE INTO reports VALUES (?, ?, ?, ?, ?, ?, ?)")
    for report in change.inserted {
      try insert.run(
        .integer(report.seq), .text(report.sink), .text(report.kind), .text(report.boot),
        .integer(report.at), report.date.map { .integer($0) }, .text(report.body))
    }
    let delete = try database.prepare("DELETE FROM reports WHERE seq = ?")
    for seq in change.deleted { try delete.run(.integer(seq)) }
  }
}
