import Foundation
import SeededRandom
import Testing

@testable import Player
@testable import PlayerStore

@Suite struct PlayerStoreTests {
  /// A start makes nothing, so that it needn't wait for the disk; the first save does.
  @Test func aFirstStartFindsNothingAndTheFirstSaveMakesTheDirectory() throws {
    let directory = try TemporaryDirectory()
    let lines = LogLines()
    let (store, host, snapshot) = openStore(directory.path + "/a/b", lines)
    #expect(host == HostState())
    #expect(snapshot == nil)
    #expect(directory.names.isEmpty)
    store.record(PlayerSnapshot.fresh)
    #expect(store.close(within: .seconds(30)))
    #expect(lines.all.isEmpty)
    let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/a/b/state.db")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test(arguments: [PlayerSnapshot.fresh, .full, .long(1500, bytes: 10)])
  func whatIsSavedIsReadBack(snapshot: PlayerSnapshot) throws {
    let directory = try TemporaryDirectory()
    let host = HostState(
      bootID: .max, installationID: String(repeating: "0f", count: 16),
      formats: HostState.Formats(key: "0.1 \"x\"", mimeTypes: ["audio/flac", "audio/L16;rate=44100"]))
    do {
      let (store, _, _) = openStore(directory.path)
      store.changeHost { $0 = host }
      store.record(snapshot)
      #expect(store.close())
    }
    #expect(directory.names == ["state.db"])
    let (store, found, read) = openStore(directory.path)
    #expect(found == host)
    #expect(read == snapshot)
    #expect(store.close())
  }

  /// Saved now and then, read back by another connection each time; 1,000 edits, among them everything that the
  /// player asks for.
  @Test(arguments: [UInt64.random(in: 0 ... .max), 3]) func editsAreReadBack(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    var random = SeededRandom(seed: seed)
    var snapshot = PlayerSnapshot.fresh
    var number = 0
    for round in 0..<20 {
      let (store, _, read) = openStore(directory.path)
      if round > 0 { try #require(read == snapshot, "seed \(seed), round \(round)") }
      for _ in 0..<5 {
        for _ in 0..<10 {
          number += 1
          edit(number, seed: seed, &snapshot)
          store.record(snapshot)
          if Int.random(in: 0..<5, using: &random) == 0 { #expect(store.flush(within: .seconds(30))) }
        }
      }
      #expect(store.close(within: .seconds(30)))
    }
  }

  @Test func idsGoOnAfterEverythingWasDeleted() throws {
    let directory = try TemporaryDirectory()
    var snapshot = PlayerSnapshot.long(3)
    do {
      let (store, _, _) = openStore(directory.path)
      store.record(snapshot)
      #expect(store.flush(within: .seconds(30)))
      snapshot.tracks.removeAll()
      store.record(snapshot)
      #expect(store.close(within: .seconds(30)))
    }
    let (_, _, read) = openStore(directory.path)
    #expect(read?.tracks.isEmpty == true)
    #expect(read?.tracks.lastID == 3)
  }

  @Test func itIsSavedByItselfSoon() async throws {
    let directory = try TemporaryDirectory()
    let (store, _, _) = openStore(directory.path)
    var snapshot = PlayerSnapshot.full
    // The first tracks of a run aren't gathered.
    store.record(snapshot)
    let before = ContinuousClock.now
    snapshot.append(6)
    store.record(snapshot)
    let log = directory.database + "-wal"
    func size() -> Int {
      (try? FileManager.default.attributesOfItem(atPath: log)[.size] as? Int) ?? 0
    }
    let start = size()
    while size() == start, before.duration(to: .now) < .seconds(20) { await Task.yield() }
    #expect(size() > start)
    #expect(before.duration(to: .now) >= .milliseconds(400))
    _ = store.close()
  }

  @Test func nothingIsWrittenWhenNothingChanged() throws {
    let directory = try TemporaryDirectory()
    let (store, _, _) = openStore(directory.path)
    let host = HostState(bootID: 5)
    store.changeHost { $0 = host }
    store.record(PlayerSnapshot.full)
    #expect(store.flush(within: .seconds(30)))
    func contents() throws -> [Data] {
      try directory.names.map { try Data(contentsOf: URL(fileURLWithPath: directory.path + "/" + $0)) }
    }
    let before = try contents()
    store.changeHost { $0 = host }
    store.record(PlayerSnapshot.full)
    #expect(store.flush(within: .seconds(30)))
    #expect(try contents() == before)
    _ = store.close()
  }

  @Test func nothingIsTakenAfterTheEnd() throws {
    let directory = try TemporaryDirectory()
    do {
      let (store, _, _) = openStore(directory.path)
      store.record(PlayerSnapshot.fresh)
      #expect(store.close(within: .seconds(30)))
      store.record(PlayerSnapshot.full)
      #expect(store.flush(within: .seconds(30)))
    }
    #expect(openStore(directory.path).snapshot == .fresh)
  }
}
