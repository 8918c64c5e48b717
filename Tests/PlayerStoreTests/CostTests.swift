import Foundation
import Testing

@testable import Player
@testable import PlayerStore

/// What saving costs, each in a process of its own.
@Suite struct CostTests {
  private static func statistic(_ file: String, _ name: String) -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/\(file)", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  /// The figures, for those who want to see them.
  private func show(_ result: ExitTest.Result?) {
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self), terminator: "")
  }

  /// Bytes that this process has made the system write to files.
  private static var written: Int { statistic("io", "wchar") }

  /// A store that holds `snapshot`, everything of it out of the log; and its directory, which goes with it.
  private static func store(
    holding snapshot: PlayerSnapshot
  ) throws -> (store: PlayerStore, directory: TemporaryDirectory) {
    let directory = try TemporaryDirectory()
    let (store, _, _) = openStore(directory.path)
    store.record(snapshot)
    try #require(store.flush(within: .seconds(60)))
    try #require(store.close(within: .seconds(60)))
    return (openStore(directory.path).store, directory)
  }

  /// 1,000 tracks one by one, five to each save: a phone that takes 100 ms for each. The figure includes copying from
  /// the log into the database.
  @Test(arguments: [10, 1000, 10_000]) func anInsertWritesLessThan8kB(tracks: Int) async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { [tracks] in
      var snapshot = PlayerSnapshot.long(tracks)
      let (store, directory) = try CostTests.store(holding: snapshot)
      defer { withExtendedLifetime(directory) {} }
      let before = CostTests.written
      for number in 0..<1000 {
        snapshot.append(snapshot.tracks.lastID + 1, bytes: 1000)
        store.record(snapshot)
        if number % 5 == 4 { #expect(store.flush(within: .seconds(60))) }
      }
      #expect(store.close(within: .seconds(60)))
      let each = (CostTests.written - before) / 1000
      print("bytes written for each insert into \(tracks) tracks: \(each)")
      try #require(each > 1000 && each < 8192)
    }
    show(result)
  }

  /// What is saved by itself begins somewhere in a block of 4 KiB, so 4 KiB of log touch two blocks on average.
  @Test(arguments: [300, 700, 900]) func aLoneInsertTouchesFewBlocks(bytes: Int) async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { [bytes] in
      var snapshot = PlayerSnapshot.long(1000)
      let (store, directory) = try CostTests.store(holding: snapshot)
      defer { withExtendedLifetime(directory) {} }
      let before = CostTests.written
      for _ in 0..<100 {
        snapshot.append(snapshot.tracks.lastID + 1, bytes: bytes)
        store.record(snapshot)
        #expect(store.flush(within: .seconds(60)))
      }
      let each = (CostTests.written - before) / 100
      print("bytes of log for a lone insert of \(bytes) bytes: \(each)")
      try #require(each > bytes && each < 4096)
      #expect(store.close(within: .seconds(60)))
    }
    show(result)
  }

  /// Deleting everything must not cost what the tracks take: SQLite on Debian would overwrite them with zeros.
  @Test func deletingEverythingWritesLittle() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      var snapshot = PlayerSnapshot.long(10_000)
      let (store, directory) = try CostTests.store(holding: snapshot)
      defer { withExtendedLifetime(directory) {} }
      let before = CostTests.written
      snapshot.tracks.removeAll()
      store.record(snapshot)
      #expect(store.close(within: .seconds(60)))
      let bytes = CostTests.written - before
      print("bytes written for deleting 10,000 tracks: \(bytes)")
      try #require(bytes < 500_000)
    }
    show(result)
  }

  /// A state with 10,000 tracks, 12 MB of text.
  private func makeLongList() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    let (store, _, _) = openStore(directory.path)
    store.record(PlayerSnapshot.long(10_000))
    try #require(store.close(within: .seconds(60)))
    return directory
  }

  /// A sanitizer is in this process: what is freed isn't given back, and everything weighs several times as much.
  private static let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

  /// The player shares its tracks with the store; what the store adds goes away, and so do the tracks.
  @Test(.disabled(if: CostTests.isSanitized, "a sanitizer holds the memory"))
  func memoryIsGivenBack() async throws {
    let directory = try makeLongList()
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      [path = directory.path as String] in
      let (store, host) = PlayerStore.open(directory: path, logger: LogLines().logger)
      store.changeHost { $0 = HostState(bootID: host.bootID + 1) }
      #expect(store.flush(within: .seconds(60)))
      let empty = CostTests.statistic("smaps_rollup", "Private_Dirty")
      var snapshot = store.load()
      try #require(snapshot?.tracks.count == 10_000)
      let full = CostTests.statistic("smaps_rollup", "Private_Dirty")
      snapshot?.tracks.removeAll()
      if let snapshot { store.record(snapshot) }
      snapshot = nil
      #expect(store.flush(within: .seconds(60)))
      let after = CostTests.statistic("smaps_rollup", "Private_Dirty")
      print("private kB: \(empty) before, \(full) with 10,000 tracks, \(after) after DeleteAll")
      try #require(full - empty > 5000 && full - empty < 20_000)
      try #require(after - empty < 1500)
    }
    show(result)
  }

  @Test(.disabled(if: CostTests.isSanitized, "a sanitizer takes many times as long"))
  func aLongPlaylistIsOpenedQuickly() async throws {
    let directory = try makeLongList()
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      [path = directory.path as String] in
      let start = ContinuousClock.now
      let (store, _) = PlayerStore.open(directory: path, logger: LogLines().logger)
      let opened = ContinuousClock.now
      let snapshot = store.load()
      let loaded = ContinuousClock.now
      print("open \(opened - start), load \(loaded - opened)")
      try #require(snapshot?.tracks.count == 10_000)
      // Of a debug build on a busy machine.
      try #require(opened - start < .seconds(3) && loaded - opened < .seconds(15))
    }
    show(result)
  }
}
