import Foundation
import Player
import SeededRandom
import Testing

@testable import PlayerStore

/// Reports of what was heard, which wait in the state.
@Suite struct ReportStoreTests {
  private func report(_ seq: Int64, date: Int64? = 5, boot: String = "b", body: String = "{}") -> StoredReport
  {
    StoredReport(seq: seq, sink: "webhook", kind: "ended", boot: boot, at: seq * 10, date: date, body: body)
  }

  private func change(
    _ inserted: [StoredReport] = [], deleted: Set<Int64> = [], dated: [String: Int64] = [:]
  ) -> ReportChange {
    var change = ReportChange()
    (change.inserted, change.deleted, change.dated) = (inserted, deleted, dated)
    return change
  }

  private func reopen(_ directory: TemporaryDirectory, _ store: PlayerStore) -> PlayerStore {
    #expect(store.close(within: .seconds(30)))
    return openStore(directory.path).store
  }

  @Test func theyOutliveARestart() throws {
    let directory = try TemporaryDirectory()
    var store = openStore(directory.path).store
    let reports = [report(1), report(2, date: nil), report(5, body: "{\"é\":\"\u{1F3B5}\"}")]
    store.changeReports(change(reports))
    #expect(store.reports([1, 2, 3, 5]) == reports, "before they are written, too")
    #expect(store.flush(within: .seconds(30)))
    #expect(store.reports([1, 2, 3, 5]) == reports)
    store = reopen(directory, store)
    #expect(store.reports([1, 5]) == [reports[0], reports[2]])
    #expect(store.reportPlaces().map(\.seq) == [1, 2, 5] && store.reportPlaces().map(\.bytes) == [2, 2, 13])
    store.changeReports(change([report(6)], deleted: [1, 5]))
    store = reopen(directory, store)
    #expect(store.reportPlaces().map(\.seq) == [2, 6])
    #expect(store.reportPlaces().map(\.date) == [nil, 5])
  }

  @Test func theyAreDatedWhenTheClockIsSet() throws {
    let directory = try TemporaryDirectory()
    let store = openStore(directory.path).store
    store.changeReports(change([report(1, date: nil), report(2, date: 7, boot: "other")]))
    #expect(store.flush(within: .seconds(30)))
    store.changeReports(change([report(3, date: nil)]))
    store.changeReports(change(dated: ["b": 1000]))
    store.changeReports(change([report(4, date: nil)]))
    #expect(reopen(directory, store).reportPlaces().map(\.date) == [1010, 7, 1030, nil])
  }

  @Test func whatIsDeletedBeforeItIsWrittenIsNeverThere() throws {
    let directory = try TemporaryDirectory()
    let store = openStore(directory.path).store
    store.changeReports(change([report(1), report(2)]))
    store.changeReports(change(deleted: [1]))
    #expect(store.reports([1, 2]).map(\.seq) == [2])
    #expect(reopen(directory, store).reportPlaces().map(\.seq) == [2])
  }

  @Test func whoWaitsIsToldWhenTheyAreWritten() throws {
    let directory = try TemporaryDirectory()
    let store = openStore(directory.path).store
    let last = Values()
    store.onReportsSaved { last.append($0) }
    store.changeReports(change([report(1), report(2)]))
    #expect(last.all == [])
    #expect(store.flush(within: .seconds(30)))
    store.changeReports(change(deleted: [1]))
    #expect(store.flush(within: .seconds(30)))
    #expect(last.all == [2])
  }

  /// They are sent nevertheless, so whoever waits must be able to read them.
  @Test func whatCantBeWrittenCanBeRead() throws {
    let directory = try TemporaryDirectory()
    _ = FileManager.default.createFile(atPath: directory.path + "/state", contents: Data())
    let store = openStore(directory.path + "/state").store
    let last = Values()
    store.onReportsSaved { last.append($0) }
    store.changeReports(change([report(1)]))
    #expect(!store.flush(within: .seconds(30)))
    #expect(last.all == [1] && store.reports([1]) == [report(1)] && store.reportPlaces().isEmpty)
    try FileManager.default.removeItem(atPath: directory.path + "/state")
    #expect(store.flush(within: .seconds(30)))
    #expect(store.reports([1]) == [report(1)] && store.reportPlaces().count == 1)
  }

  @Test func theyComeAlongWhenTheDatabaseIsDeleted() throws {
    let directory = try TemporaryDirectory()
    let store = openStore(directory.path).store
    store.changeReports(change([report(1), report(2), report(3)]))
    #expect(store.flush(within: .seconds(30)))
    try FileManager.default.removeItem(atPath: directory.database)
    store.changeReports(change([report(4)], deleted: [2]))
    #expect(reopen(directory, store).reportPlaces().map(\.seq) == [1, 3, 4])
  }

  /// What 0.1.0 had before there were reports.
  @Test func aStateOfAnOlderVersionIsTakenOver() throws {
    let directory = try TemporaryDirectory()
    do {
      let old = try StateDatabase(path: directory.database, mode: .readWrite, steps: [StateDatabase.steps[0]])
      try old.write([StoreRow("boot-id", number: 77), StoreRow("standby", flag: true)])
    }
    let (store, host, snapshot) = openStore(directory.path)
    #expect(host.bootID == 77 && host.reportsTime == 0 && snapshot?.player.isStandby == true)
    store.changeReports(change([report(1)]))
    #expect(reopen(directory, store).reportPlaces().count == 1)
  }

  @Test func aStateThatOnlyCanBeReadHasThem() throws {
    let directory = try TemporaryDirectory()
    do {
      _ = try StateDatabase(path: directory.database, mode: .readWrite, steps: [StateDatabase.steps[0]])
    }
    let reader = try StateDatabase(path: directory.database, mode: .readOnly)
    #expect(throws: SQLiteError.self) { try reader.reportPlaces() }
    // For the writer there are none then.
    #expect(
      StoreWriter(directory: StoreDirectory(path: directory.path), logger: LogLines().logger).reportPlaces()
        == [])
  }

  @Test func timeAndPauseAreKept() throws {
    let directory = try TemporaryDirectory()
    let store = openStore(directory.path).store
    store.changeHost {
      $0.reportsTime = 1_800_000_000_000
      $0.reportsPause = "album Ä"
      $0.party = #"{"code":"Ä"}"#
    }
    #expect(store.close(within: .seconds(30)))
    let (again, host, _) = openStore(directory.path)
    #expect(host.reportsTime == 1_800_000_000_000 && host.reportsPause == "album Ä")
    #expect(host.party == #"{"code":"Ä"}"#)
    again.changeHost {
      $0.reportsPause = nil
      $0.party = nil
    }
    #expect(again.close(within: .seconds(30)))
    let last = openStore(directory.path).host
    #expect(last.reportsPause == nil && last.party == nil)
  }

  /// 5,000 listens, as those that wait for a server for a week, take no more than 4 MB.
  @Test func thousandsAreSmall() throws {
    let directory = try TemporaryDirectory()
    let store = openStore(directory.path).store
    let body = String(repeating: "x", count: 400)
    for first in stride(from: Int64(0), to: 5000, by: 100) {
      store.changeReports(
        change((first..<first + 100).map { report($0 + 1, date: 1_800_000_000_000, body: body) }))
      #expect(store.flush(within: .seconds(30)))
    }
    #expect(store.close(within: .seconds(30)))
    let size = try FileManager.default.attributesOfItem(atPath: directory.database)[.size] as? Int
    #expect(try #require(size) <= 4 << 20)
  }

  @Test(arguments: 0..<20) func anyOrderOfChangesEndsAsAModel(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let directory = try TemporaryDirectory()
    var store = openStore(directory.path).store
    var model: [Int64: StoredReport] = [:]
    var seq: Int64 = 0
    for _ in 0..<60 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0..<3:
        let new = (0..<Int.random(in: 1...5, using: &random)).map { _ in
          seq += 1
          return report(seq, date: nil, boot: ["a", "b"].randomElement(using: &random) ?? "a")
        }
        let gone = Set(model.keys.filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
        store.changeReports(change(new, deleted: gone))
        for seq in gone { model[seq] = nil }
        for report in new { model[report.seq] = report }
      case 3:
        store.changeReports(change(dated: ["a": seq]))
        for (key, report) in model where report.boot == "a" { model[key]?.date = report.at + seq }
      case 4: #expect(store.flush(within: .seconds(30)))
      default: store = reopen(directory, store)
      }
      // What is to be deleted or dated may still be read as it was.
      let found = Set(store.reports(Array(0...seq)).map(\.seq))
      #expect(found.isSuperset(of: model.keys))
      guard Bool.random(using: &random) else { continue }
      #expect(store.flush(within: .seconds(30)))
      let isSame = store.reports(Array(0...seq)) == model.values.sorted { $0.seq < $1.seq }
      #expect(isSame)
    }
  }
}

/// Numbers that come from another thread.
private final class Values: @unchecked Sendable {
  // Safe because `values` is only used under the lock.
  private let lock = NSLock()
  private var values: [Int64] = []

  func append(_ value: Int64) { lock.withLock { values.append(value) } }
  var all: [Int64] { lock.withLock { values } }
}
