import Foundation
import Kept
import Player
import SeededRandom
import Testing

@testable import PlayerStore

@Suite struct KillTests {
  private static let seed: UInt64 = 20
  private static let edits = 10_000

  /// What the child has acknowledged: the number of the edit and when, nanoseconds of the monotonic clock.
  private struct Acknowledgement {
    var number: Int
    var time: Int

    static func read(_ path: String) throws -> [Acknowledgement] {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      return data.withUnsafeBytes { bytes in
        (0..<bytes.count / 16).map {
          Acknowledgement(
            number: bytes.loadUnaligned(fromByteOffset: 16 * $0, as: Int.self),
            time: bytes.loadUnaligned(fromByteOffset: 16 * $0 + 8, as: Int.self))
        }
      }
    }
  }

  /// Edits until it is killed, after `life` microseconds, or until 10,000 are done and it leaves in order.
  private static func editUntilKilled(_ path: String, life: Int) {
    let log = open(path + "/acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let (store, _, saved) = openStore(path)
    var snapshot = saved ?? .fresh
    Thread.detachNewThread {
      usleep(UInt32(life))
      kill(getpid(), SIGKILL)
    }
    while snapshot.editNumber < edits {
      let number = snapshot.editNumber + 1
      edit(number, seed: seed, &snapshot)
      store.record(snapshot)
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      var entry = (number, now.tv_sec * 1_000_000_000 + now.tv_nsec)
      write(log, &entry, 16)
      // A phone's pace; without it all would be over before the first save.
      if number.isMultiple(of: 4) { usleep(2000) }
    }
    _ = store.close(within: .seconds(60))
    // The order to be killed is still out; it must not hit what comes after.
    while true { pause() }
  }

  /// Killed as soon as a track was recorded, which waits for no disk, a player comes back with ids that are all new.
  @Test func theFirstIdOfARunIsNeverGivenAgain() async throws {
    let directory = try TemporaryDirectory()
    var last: UInt32 = 0
    for _ in 1...3 {
      let first = Self.firstID(in: directory.path)
      #expect(first > last)
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = directory.path as String] in
        let (store, _, saved) = openStore(path)
        var state = PlayerState(snapshot: saved, unsavedID: store.firstUnsavedID)
        store.begin(bootID: 1, firstID: state.playlist.firstID)
        _ = try state.apply(.playlist(.insert(after: 0, .numbered(1))), at: PlayerInstant(nanoseconds: 0))
        store.record(state.snapshot)
        kill(getpid(), SIGKILL)
      }
      last = first
    }
    #expect(Self.firstID(in: directory.path) > last)
  }

  /// Of the next run.
  private static func firstID(in path: String) -> UInt32 {
    let (store, _, saved) = openStore(path)
    defer { _ = store.close(within: .seconds(30)) }
    return PlayerState(snapshot: saved, unsavedID: store.firstUnsavedID).playlist.firstID
  }

  @Test func whatARunHasToldOutlivesItsKill() async throws {
    let directory = try TemporaryDirectory()
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = directory.path as String] in
      let (store, _, _) = openStore(path + "/new")
      store.begin(bootID: 7, firstID: 65537)
      store.changeHost { $0.bootID = 9 }
      kill(getpid(), SIGKILL)
    }
    let (store, host, saved) = openStore(directory.path + "/new")
    #expect(host.bootID == 9 && store.firstUnsavedID == 65537 && saved == nil)
    // A run that ends in order has saved what it told.
    store.begin(bootID: 10, firstID: 131073)
    #expect(store.close(within: .seconds(30)))
    let (again, later, _) = openStore(directory.path + "/new")
    #expect(later.bootID == 10 && again.firstUnsavedID == 0)
  }

  /// Whoever was told that a list is kept finds it after a kill, whole.
  @Test func aKeptListOutlivesAKill() async throws {
    let directory = try TemporaryDirectory()
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = directory.path as String] in
      let (store, _, _) = openStore(path)
      let tracks = (1...300).map { KeptTrack(.numbered($0, bytes: 500)) }
      let id = try await store.keep(KeptEdit(.create("Evening", tracks)), at: 1).get().id
      _ = try await store.keep(KeptEdit(.move(id, [300], after: 0)), at: 2).get()
      kill(getpid(), SIGKILL)
    }
    let store = openStore(directory.path).store
    let head = try #require(store.keptHeads().first)
    let kept = try await store.keptTracks(of: head.id, from: 0, count: .max).get().entries
    #expect(kept.map(\.track.media) == ([300] + (1...299)).map { .numbered($0, bytes: 500) })
    #expect(head.version == 2)
  }

  @Test func aNoteThatMakesNoSenseIsNone() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/state.run"
    for text in ["", "x", "1", "1 2 3", "-1 2", "99999999999 1", "\0\0"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      let (store, host, _) = openStore(directory.path)
      #expect(host.bootID == 0 && store.firstUnsavedID == 0, "\(text)")
    }
    // Nor is something that would never let go of whoever opens it.
    try FileManager.default.removeItem(atPath: path)
    #expect(mkfifo(path, 0o600) == 0)
    let (store, host, _) = openStore(directory.path)
    store.begin(bootID: 3, firstID: 4)
    #expect(host.bootID == 0)
    #expect(store.close(within: .seconds(30)))
  }

  /// Killed at random moments during 10,000 edits: each start finds the state exactly as it was after one of them,
  /// never an earlier one than the start before, and none that was acknowledged more than a second before is lost.
  @Test(.timeLimit(.minutes(3))) func nothingOlderThanASecondIsLost() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    var random = SeededRandom(seed: .random(in: 0 ... .max))
    var model = PlayerSnapshot.fresh
    var rounds = 0
    while model.editNumber < Self.edits {
      rounds += 1
      try #require(rounds < 100)
      // Seldom before the first save, often in the middle of one.
      let life = Int.random(in: 20_000...2_000_000, using: &random)
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, life = life as Int] in
        KillTests.editUntilKilled(path, life: life)
      }
      let lines = LogLines()
      let (store, _, read) = openStore(path, lines)
      #expect(lines.all.isEmpty)
      let found = read ?? .fresh
      try #require(found.editNumber >= model.editNumber, "started with less than before")
      while model.editNumber < found.editNumber { edit(model.editNumber + 1, seed: Self.seed, &model) }
      try #require(found == model, "killed in round \(rounds) after \(life) µs at edit \(found.editNumber)")
      #expect(store.close(within: .seconds(30)))
      let acknowledged = try Acknowledgement.read(path + "/acknowledged")
      if let end = acknowledged.last?.time {
        let due = acknowledged.last { $0.time < end - 1_000_000_000 }
        #expect(found.editNumber >= due?.number ?? 0, "lost an edit older than a second")
      }
      // What was lost will be done again.
      try Data().write(to: URL(fileURLWithPath: path + "/acknowledged"))
    }
    #expect(rounds > 3)
  }
}
