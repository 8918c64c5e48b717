import Listening
import PlayerStore
import Synchronization

/// Keeps reports until they have arrived.
protocol ReportKeeper: Sendable {
  /// What is kept at the start. May block.
  func kept() -> [ReportDesk.Kept]
  /// Changes what is kept; doesn't block.
  ///
  /// - Parameter dated: the date of the start of this run of the machine, in milliseconds since 1970, if that is new.
  func change(_ change: ReportDesk.Change, dated: (boot: String, offset: Int64)?)
  /// Those of `seqs` that are kept. May block.
  func reports(_ seqs: [Int64]) -> [ReportDesk.Row]
  /// Calls `saved` whenever reports have been written, with the highest number of them.
  func onSaved(_ saved: @escaping @Sendable (Int64) -> Void)
}

/// Keeps reports in the state.
struct StateReportKeeper: ReportKeeper {
  let store: PlayerStore

  func kept() -> [ReportDesk.Kept] {
    store.reportPlaces().map {
      ReportDesk.Kept(
        seq: $0.seq, sink: ReportSink(rawValue: $0.sink), bytes: $0.bytes,
        place: ReportPlace(boot: $0.boot, at: $0.at, date: $0.date))
    }
  }

  func change(_ change: ReportDesk.Change, dated: (boot: String, offset: Int64)?) {
    var all = ReportChange()
    all.inserted = change.inserted.map {
      StoredReport(
        seq: $0.seq, sink: $0.sink.rawValue, kind: $0.kind.rawValue, boot: $0.place.boot, at: $0.place.at,
        date: $0.place.date, body: $0.body)
    }
    all.deleted = Set(change.deleted)
    if let dated { all.dated = [dated.boot: dated.offset] }
    store.changeReports(all)
  }

  func reports(_ seqs: [Int64]) -> [ReportDesk.Row] {
    store.reports(seqs).compactMap { row in
      guard let sink = ReportSink(rawValue: row.sink), let kind = ReportRecord.Kind(rawValue: row.kind) else {
        return nil
      }
      return ReportDesk.Row(
        seq: row.seq, sink: sink, kind: kind, place: ReportPlace(boot: row.boot, at: row.at, date: row.date),
        body: row.body)
    }
  }

  func onSaved(_ saved: @escaping @Sendable (Int64) -> Void) { store.onReportsSaved(saved) }
}

/// Keeps a few reports in memory: what isn't sent when the program ends is lost.
final class MemoryReportKeeper: ReportKeeper {
  /// How many are kept for each server.
  static let most = 50

  private let rows = Mutex<[Int64: ReportDesk.Row]>([:])
  private let saved = Mutex<(@Sendable (Int64) -> Void)?>(nil)

  func kept() -> [ReportDesk.Kept] { [] }

  func change(_ change: ReportDesk.Change, dated: (boot: String, offset: Int64)?) {
    rows.withLock { rows in
      for row in change.inserted { rows[row.seq] = row }
      for seq in change.deleted { rows[seq] = nil }
    }
    if let last = change.inserted.last { saved.withLock { $0 }?(last.seq) }
  }

  func reports(_ seqs: [Int64]) -> [ReportDesk.Row] { rows.withLock { rows in seqs.compactMap { rows[$0] } } }

  func onSaved(_ saved: @escaping @Sendable (Int64) -> Void) { self.saved.withLock { $0 = saved } }
}
