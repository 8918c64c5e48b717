import CSQLite
import Foundation
import Player
import SeededRandom
import Testing

@testable import PlayerStore

@Suite struct DamageTests {
  private func save(_ snapshot: PlayerSnapshot, in directory: TemporaryDirectory) throws {
    let (store, _, _) = openStore(directory.path)
    store.changeHost { $0 = HostState(bootID: 77) }
    store.record(snapshot)
    try #require(store.close(within: .seconds(30)))
  }

  private func execute(_ sql: String, in directory: TemporaryDirectory) throws {
    try Database(path: directory.database, mode: .readWrite).execute(sql)
  }

  /// Reports once, keeps the old file and works.
  private func expectSetAside(_ prefix: String, in directory: TemporaryDirectory) throws -> HostState {
    let lines = LogLines()
    let (store, host, snapshot) = openStore(directory.path, lines)
    #expect(snapshot == nil || snapshot?.tracks.isEmpty == true)
    #expect(lines.all.count == 1, "\(lines.all)")
    #expect(lines.all.first?.contains("can't be used") == true)
    #expect(directory.names.contains { $0.hasPrefix(prefix) }, "\(directory.names)")
    store.record(PlayerSnapshot.full)
    #expect(store.flush(within: .seconds(30)))
    // As a kill would leave it.
    let copy = try TemporaryDirectory()
    for end in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: directory.database + end, toPath: copy.database + end)
    }
    #expect(openStore(copy.path).snapshot == .full)
    #expect(store.close(within: .seconds(30)))
    let again = openStore(directory.path, lines)
    #expect(again.snapshot == .full)
    #expect(lines.all.count == 1)
    return host
  }

  @Test func garbageIsSetAside() throws {
    let directory = try TemporaryDirectory()
    try Data(repeating: 0x2A, count: 20_000).write(to: URL(fileURLWithPath: directory.database))
    _ = try expectSetAside("state.db.damaged-", in: directory)
  }

  @Test func somebodyElsesDatabaseIsSetAside() throws {
    let directory = try TemporaryDirectory()
    try execute("CREATE TABLE setting (a); CREATE TABLE track (b)", in: directory)
    _ = try expectSetAside("state.db.damaged-", in: directory)
  }

  /// SQLite takes a file of a later format for one that it may only read.
  @Test func aHeaderThatAllowsNoWritingIsDamage() throws {
    let directory = try TemporaryDirectory()
    try save(.long(3), in: directory)
    var data = try Data(contentsOf: URL(fileURLWithPath: directory.database))
    data[18] = 9
    try data.write(to: URL(fileURLWithPath: directory.database))
    _ = try expectSetAside("state.db.damaged-", in: directory)
  }

  @Test(arguments: [
    "DROP TABLE track", "UPDATE track SET after = 99999 WHERE id = 1",
    "UPDATE track SET after = -1 WHERE id = 1", "INSERT INTO track VALUES (-4, 0, 'x', '', NULL, NULL)",
    "INSERT OR REPLACE INTO fold VALUES (0, 2, x'010000')",
    "INSERT OR REPLACE INTO fold VALUES (0, 2, x'01000000')",
    "DELETE FROM track; DELETE FROM fold; INSERT INTO fold VALUES (-1, 3, x'')",
    "DELETE FROM track; INSERT OR REPLACE INTO fold SELECT column1, 3, x'' FROM (VALUES (0), (1))",
    // Changes that go somewhere else.
    "CREATE TRIGGER t AFTER INSERT ON track BEGIN DELETE FROM track WHERE id = new.id; END",
    """
    PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'INTEGER PRIMARY KEY', 'INTEGER')
    WHERE name = 'fold'
    """,
  ])
  func tracksThatMakeNoSenseAreSetAsideAndOtherValuesKept(sql: String) throws {
    let directory = try TemporaryDirectory()
    try save(.long(3), in: directory)
    try execute(sql, in: directory)
    let host = try expectSetAside("state.db.damaged-", in: directory)
    #expect(host.bootID == 77)
  }

  /// A list that begins anew would get numbers that its old tracks have, and be mixed with them by the next start.
  @Test(arguments: ["DELETE FROM setting", "UPDATE setting SET value = NULL WHERE name = 'master-muted'"])
  func tracksAreKeptWhereOtherValuesAreLost(sql: String) throws {
    let directory = try TemporaryDirectory()
    let before = PlayerSnapshot.long(3)
    try save(before, in: directory)
    try execute(sql, in: directory)
    let (store, _, snapshot) = openStore(directory.path)
    #expect(snapshot?.tracks == before.tracks)
    #expect(store.close(within: .seconds(30)))
  }

  /// A speaker that plays without sound looks broken.
  @Test(arguments: [
    ("DELETE FROM setting", 40), ("DELETE FROM setting WHERE name LIKE 'left-%' OR name LIKE 'right-%'", 70),
  ])
  func aVolumeThatIsLostIsTheFirst(sql: String, step: Int) throws {
    let directory = try TemporaryDirectory()
    var before = PlayerSnapshot.long(3)
    before.player = PlayerState(configuration: PlayerConfiguration(factoryVolume: 70)).saved()
    try save(before, in: directory)
    try execute(sql, in: directory)
    let (store, _, snapshot) = openStore(directory.path)
    let state = PlayerState(configuration: PlayerConfiguration(factoryVolume: 40), snapshot: snapshot)
    #expect(state.volume.step(of: .master) == step)
    #expect(state.volume.step(of: .left) == 100 && state.volume.step(of: .right) == 100)
    #expect(!state.playlist.isEmpty)
    #expect(store.close(within: .seconds(30)))
  }

  /// SQLite wouldn't find the rows again that it is to replace.
  @Test func valuesOutOfOrderAreSetAsideAndKept() throws {
    let directory = try TemporaryDirectory()
    try save(.long(3), in: directory)
    let root = try Database(path: directory.database, mode: .readWrite)
      .number("SELECT rootpage FROM sqlite_schema WHERE name = 'setting'")
    var data = try Data(contentsOf: URL(fileURLWithPath: directory.database))
    // A leaf: eight bytes of head, then where each cell begins, two bytes for each.
    let page = (Int(root) - 1) * 1024
    try #require(data[page] == 0x0A)
    let first = page + 8
    let last = first + 2 * (Int(data[page + 4]) - 1)
    for byte in 0...1 { data.swapAt(first + byte, last + byte) }
    try data.write(to: URL(fileURLWithPath: directory.database))
    #expect(try expectSetAside("state.db.damaged-", in: directory).bootID == 77)
  }

  /// No write would replace those.
  @Test(arguments: ["boot-id", "source", "standby"]) func aNameThatIsNoTextIsNoName(name: String) throws {
    let directory = try TemporaryDirectory()
    try save(.long(3), in: directory)
    try execute(
      "INSERT INTO setting SELECT CAST(name AS BLOB), 1 FROM setting WHERE name = '\(name)'", in: directory)
    var (store, host, snapshot) = openStore(directory.path)
    #expect(host.bootID == 77)
    #expect(snapshot == .long(3))
    store.changeHost { $0.bootID += 1 }
    #expect(store.close(within: .seconds(30)))
    (store, host, snapshot) = openStore(directory.path)
    #expect(host.bootID == 78)
    #expect(snapshot == .long(3))
    #expect(store.close(within: .seconds(30)))
  }

  @Test func aNewerStateIsKeptForTheNewerVireo() throws {
    let directory = try TemporaryDirectory()
    try save(.long(3), in: directory)
    try execute("PRAGMA user_version = 9", in: directory)
    _ = try expectSetAside("state.db.version-9", in: directory)
  }

  /// Wherever bytes were changed: the daemon starts, and saves again.
  @Test(arguments: 0..<40) func bytesChangedAnywhereDontStopIt(round: Int) throws {
    let directory = try TemporaryDirectory()
    try save(.long(40), in: directory)
    var random = SeededRandom(seed: UInt64(round))
    var data = try Data(contentsOf: URL(fileURLWithPath: directory.database))
    let length = Int.random(in: 1...200, using: &random)
    // Most of the file is text; half of the rounds hit the beginning of a page, where it hurts.
    var start = Int.random(in: 0..<(data.count - length), using: &random)
    if round.isMultiple(of: 2) { start = start / 4096 * 4096 }
    for index in start..<(start + length) { data[index] = UInt8.random(in: 0...255, using: &random) }
    try data.write(to: URL(fileURLWithPath: directory.database))
    let (store, _, read) = openStore(directory.path)
    var snapshot = read ?? .fresh
    let id = snapshot.tracks.lastID + 1
    snapshot.append(id)
    snapshot.player.currentTrackID = id
    store.record(snapshot)
    #expect(store.close(within: .seconds(30)))
    #expect(openStore(directory.path).snapshot == snapshot)
  }

  /// After a power cut the end of the log may be missing or be anything: what was saved before it is there, whole.
  @Test(arguments: [UInt64.random(in: 0 ... .max)]) func aTornLogGivesAnEarlierState(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let (store, _, _) = openStore(directory.path)
    var states = [0: PlayerSnapshot.fresh]
    var snapshot = PlayerSnapshot.fresh
    store.record(snapshot)
    #expect(store.flush(within: .seconds(30)))
    for number in 1...60 {
      edit(number, seed: seed, &snapshot)
      store.record(snapshot)
      #expect(store.flush(within: .seconds(30)))
      states[number] = snapshot
    }
    let database = try Data(contentsOf: URL(fileURLWithPath: directory.database))
    let log = try Data(contentsOf: URL(fileURLWithPath: directory.database + "-wal"))
    var random = SeededRandom(seed: seed)
    var numbers: Set<Int> = []
    for round in 0..<30 {
      let copy = try TemporaryDirectory()
      var torn = log
      let cut = Int.random(in: 0...log.count, using: &random)
      if round.isMultiple(of: 2) {
        torn = log.prefix(cut)
      } else {
        for index in cut..<min(cut + 512, log.count) { torn[index] ^= 0x55 }
      }
      try database.write(to: URL(fileURLWithPath: copy.database))
      try torn.write(to: URL(fileURLWithPath: copy.database + "-wal"))
      let lines = LogLines()
      let (other, _, read) = openStore(copy.path, lines)
      #expect(lines.all.isEmpty, "seed \(seed), round \(round)")
      if let read {
        #expect(read == states[read.editNumber], "seed \(seed), round \(round)")
        numbers.insert(read.editNumber)
      }
      _ = other.close()
    }
    #expect(numbers.count > 5)
    _ = store.close()
  }
}
