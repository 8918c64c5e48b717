import Foundation
import Kept
import Player
import SeededRandom
import Testing

@testable import PlayerStore

/// Stored playlists in the state.
@Suite struct KeptListStoreTests {
  private func track(_ number: Int, bytes: Int = 0) -> KeptTrack {
    KeptTrack(
      .numbered(UInt32(number), bytes: bytes), server: number.isMultiple(of: 2) ? "udn-\(number % 4)" : nil)
  }

  private func keep(_ store: PlayerStore, _ command: KeptCommand, version: UInt32? = nil) async throws
    -> KeptOutcome
  {
    try await store.keep(KeptEdit(command, version: version), at: 1_800_000_000).get()
  }

  private func tracks(_ store: PlayerStore, _ id: UInt32) async throws -> [KeptTrack] {
    try await store.keptTracks(of: id, from: 0, count: .max).get().entries.map(\.track)
  }

  private func reopen(_ directory: TemporaryDirectory, _ store: PlayerStore) -> PlayerStore {
    #expect(store.close(within: .seconds(30)))
    return openStore(directory.path).store
  }

  @Test func theyOutliveARestart() async throws {
    let directory = try TemporaryDirectory()
    var store = openStore(directory.path).store
    let all = (1...30).map { track($0) }
    let outcome = try await keep(store, .create("Evening", all))
    #expect(outcome.added == 30 && outcome.heads.map(\.name) == ["Evening"])
    store = reopen(directory, store)
    #expect(store.keptHeads() == outcome.heads)
    #expect(try await tracks(store, outcome.id) == all)
    let part = try await store.keptTracks(of: outcome.id, from: 28, count: 100).get()
    #expect(part.entries.map(\.track) == [all[28], all[29]] && part.head == outcome.heads[0])
    #expect(try await store.keptTracks(of: outcome.id, from: 99, count: 1).get().entries.isEmpty)
    #expect(try await store.keptTracks(of: outcome.id, from: 0, count: 30, bytes: 1).get().entries.count == 1)
    #expect(try await store.keptTracks(of: outcome.id, from: .max, count: .max).get().entries.isEmpty)
    #expect(try await store.keptTracks(of: outcome.id, from: .min, count: 1).get().entries.count == 1)
    #expect(try await store.keptTracks(of: outcome.id, from: 0, count: .min).get().entries.isEmpty)
    #expect(await store.keptTracks(of: 77, from: 0, count: 1) == .failure(.refused(.noList)))
  }

  @Test func aRefusalChangesNothing() async throws {
    let directory = try TemporaryDirectory()
    let store = openStore(directory.path).store
    let first = try await keep(store, .create("a", [track(1)]))
    for command in [
      KeptCommand.create("A", []), .add(first.id, [track(2)], after: 9), .remove(first.id, [8]), .delete(5),
    ] {
      guard case .failure(.refused) = await store.keep(KeptEdit(command), at: 1) else {
        Issue.record("\(command) was taken")
        continue
      }
    }
    #expect(try await tracks(store, first.id) == [track(1)])
  }

  @Test func idsAreNeverGivenAgain() async throws {
    let directory = try TemporaryDirectory()
    var store = openStore(directory.path).store
    let first = try await keep(store, .create("a", [track(1), track(2)]))
    let entries = try await store.keptTracks(of: first.id, from: 0, count: 9).get().entries
    _ = try await keep(store, .delete(first.id))
    store = reopen(directory, store)
    let second = try await keep(store, .create("a", [track(3)]))
    #expect(second.id > first.id)
    let later = try await store.keptTracks(of: second.id, from: 0, count: 9).get().entries
    #expect(later[0].id > entries[1].id)
  }

  @Test func whatCantBeWrittenIsSaid() async throws {
    let directory = try TemporaryDirectory()
    // A file is where the directory should be.
    _ = FileManager.default.createFile(atPath: directory.path + "/state", contents: Data())
    let store = openStore(directory.path + "/state").store
    #expect(await store.keep(KeptEdit(.create("a", [])), at: 1) == .failure(.notWritten))
    try FileManager.default.removeItem(atPath: directory.path + "/state")
    #expect(try await keep(store, .create("a", [])).heads.count == 1)
    _ = store.close(within: .seconds(30))
    #expect(await store.keep(KeptEdit(.create("b", [])), at: 1) == .failure(.notWritten))
  }

  @Test func aSecondProgramKeepsNothing() async throws {
    let directory = try TemporaryDirectory()
    let store = openStore(directory.path).store
    _ = try await keep(store, .create("a", [track(1)]))
    let other = openStore(directory.path).store
    #expect(await other.keep(KeptEdit(.create("b", [])), at: 1) == .failure(.notWritten))
    #expect(try await keep(store, .create("b", [])).heads.count == 2)
  }

  @Test func theyComeAlongWhenTheDatabaseIsDeleted() async throws {
    let directory = try TemporaryDirectory()
    let store = openStore(directory.path).store
    let first = try await keep(store, .create("a", [track(1), track(2)]))
    let second = try await keep(store, .create("b", [track(3)]))
    try FileManager.default.removeItem(atPath: directory.database)
    _ = try await keep(store, .add(second.id, [track(4)], after: nil))
    let again = reopen(directory, store)
    #expect(again.keptHeads().map(\.id) == [first.id, second.id])
    #expect(try await tracks(again, first.id) == [track(1), track(2)])
    #expect(try await tracks(again, second.id) == [track(3), track(4)])
  }

  /// Damage elsewhere in the file, or of some tracks, doesn't take all lists.
  @Test func whatCanBeReadOutlivesDamage() async throws {
    let directory = try TemporaryDirectory()
    var store = openStore(directory.path).store
    let first = try await keep(store, .create("a", [track(1), track(2), track(3)]))
    let second = try await keep(store, .create("b", [track(4)]))
    #expect(store.close(within: .seconds(30)))
    do {
      let database = try Database(path: directory.database, mode: .readWrite)
      try database.execute("DELETE FROM playlist_track WHERE id = 2")
      try database.execute("DROP TABLE fold")
    }
    store = openStore(directory.path).store
    #expect(directory.names.contains { $0.hasPrefix("state.db.damaged-") })
    for _ in 0..<2 {
      #expect(store.keptHeads().map(\.name) == ["a", "b"] && store.keptHeads().map(\.count) == [2, 1])
      #expect(try await tracks(store, first.id) == [track(1), track(3)])
      #expect(try await tracks(store, second.id) == [track(4)])
      store = reopen(directory, store)
    }
    #expect(try await keep(store, .add(first.id, [track(5)], after: nil)).heads.map(\.count) == [3, 1])
  }

  /// What earlier releases had: before there were reports, and before there were lists.
  @Test(arguments: [1, 2]) func aStateOfAnOlderVersionIsTakenOver(version: Int) async throws {
    let directory = try TemporaryDirectory()
    do {
      let old = try StateDatabase(
        path: directory.database, mode: .readWrite, steps: Array(StateDatabase.steps.prefix(version)))
      try old.write([StoreRow("boot-id", number: 77), StoreRow("standby", flag: true)])
    }
    let (store, host, snapshot) = openStore(directory.path)
    #expect(host.bootID == 77 && snapshot?.player.isStandby == true && store.keptHeads().isEmpty)
    let outcome = try await keep(store, .create("a", [track(1)]))
    #expect(reopen(directory, store).keptHeads() == outcome.heads)
  }

  /// Orders that no Vireo writes: what makes no sense is left out, and the rest plays.
  @Test func anOrderThatMakesNoSenseIsRead() async throws {
    let directory = try TemporaryDirectory()
    var store = openStore(directory.path).store
    let id = try await keep(store, .create("a", (1...3).map { track($0) })).id
    #expect(store.close(within: .seconds(30)))
    let places =
      KeptPlaceCoding.encode(
        [3, 1, 9, 3, 0].map { KeptList.Place(id: $0, bytes: 1, milliseconds: 1) }) + [1, 2, 3]
    do {
      let database = try StateDatabase(path: directory.database, mode: .readWrite).database
      try database.prepare("UPDATE playlist SET places = ?, count = -5").run(.bytes(places))
    }
    store = openStore(directory.path).store
    #expect(store.keptHeads().map(\.count) == [0])
    #expect(try await tracks(store, id) == [track(3), track(1)])
    let outcome = try await keep(store, .remove(id, [9]))
    #expect(outcome.heads.map(\.count) == [2])
  }

  @Test(arguments: 0..<12) func anyCommandsEndAsTheValue(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let directory = try TemporaryDirectory()
    var store = openStore(directory.path).store
    var shelf = KeptShelf()
    var lists: [UInt32: KeptList] = [:]
    for number in 0..<60 {
      let id = UInt32.random(in: 1...5, using: &random)
      let ids = lists[id]?.ids ?? []
      let some = Array(ids.shuffled(using: &random).prefix(2))
      let new = (0..<Int.random(in: 0...5, using: &random)).map { track(number * 10 + $0) }
      let command: KeptCommand =
        switch Int.random(in: 0..<7, using: &random) {
        case 0: .create("list \(number)", new)
        case 1: .delete(id)
        case 2, 3: .add(id, new, after: ids.randomElement(using: &random))
        case 4: .move(id, some, after: 0)
        case 5: .remove(id, some)
        default: .replace(id, new)
        }
      let result = await store.keep(KeptEdit(command), at: Int64(number))
      do throws(KeptRefusal) {
        let change = try shelf.change(
          KeptEdit(command), of: command.list.flatMap { lists[$0] }, at: Int64(number))
        shelf = shelf.taking(change)
        lists[change.id] = change.list
        #expect((try? result.get().heads) == shelf.heads)
      } catch {
        #expect(result == .failure(.refused(error)))
      }
      if number.isMultiple(of: 11) { store = reopen(directory, store) }
    }
    for (id, list) in lists {
      #expect(try await store.keptTracks(of: id, from: 0, count: .max).get().entries.map(\.id) == list.ids)
    }
    #expect(reopen(directory, store).keptHeads() == shelf.heads)
    // Tracks of no list aren't left behind.
    let database = try StateDatabase(path: directory.database, mode: .readOnly).database
    let count = lists.values.reduce(0) { $0 + $1.places.count }
    #expect(try database.number("SELECT count(*) FROM playlist_track") == Int64(count))
  }

  /// What 200 lists cost while nobody looks at one: their heads alone.
  @Test func theIndexIsSmall() async throws {
    let directory = try TemporaryDirectory()
    var store = openStore(directory.path).store
    let tracks = (0..<240).map { track($0, bytes: 900) }
    for number in 0..<200 { _ = try await keep(store, .create("List number \(number)", tracks)) }
    guard case .failure(.refused(.tooManyLists)) = await store.keep(KeptEdit(.create("x", [])), at: 1) else {
      Issue.record("a list too many")
      return
    }
    store = reopen(directory, store)
    let heads = store.keptHeads()
    #expect(heads.count == 200 && heads.reduce(0) { $0 + $1.count } == 48_000)
    let bytes = heads.count * MemoryLayout<KeptHead>.stride + heads.reduce(0) { $0 + $1.name.utf8.count + 32 }
    #expect(bytes < 32 << 10, "\(bytes) bytes")
  }
}
