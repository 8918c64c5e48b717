import Foundation
import Player
import Testing

@testable import PlayerStore

/// The state is deleted, moved or replaced while the daemon runs.
@Suite struct LostFileTests {
  enum Loss: CaseIterable { case directory, database, databaseAndLog, movedDirectory, movedDatabase }

  private func lose(_ loss: Loss, in directory: TemporaryDirectory) throws {
    let (files, state) = (FileManager.default, directory.path + "/state")
    switch loss {
    case .directory: try files.removeItem(atPath: state)
    case .database: try files.removeItem(atPath: state + "/state.db")
    case .databaseAndLog:
      for end in ["", "-wal"] { try files.removeItem(atPath: state + "/state.db" + end) }
    case .movedDirectory: try files.moveItem(atPath: state, toPath: directory.path + "/moved")
    case .movedDatabase: try files.moveItem(atPath: state + "/state.db", toPath: directory.path + "/moved.db")
    }
  }

  /// A store that has saved a full snapshot.
  private func open(in directory: TemporaryDirectory, _ lines: LogLines) -> PlayerStore {
    let (store, _, _) = openStore(directory.path + "/state", lines)
    store.begin(bootID: 7, firstID: 65537)
    store.changeHost { $0 = HostState(bootID: 7) }
    store.record(PlayerSnapshot.full)
    #expect(store.flush(within: .seconds(30)))
    return store
  }

  /// A change of anything has all written again, also the playlist, which didn't change.
  @Test(arguments: Loss.allCases) func whatIsDeletedIsWrittenAnewAndSaidOnce(loss: Loss) throws {
    let directory = try TemporaryDirectory()
    let lines = LogLines()
    let store = open(in: directory, lines)
    try lose(loss, in: directory)
    for bootID: UInt32 in 8...10 {
      store.changeHost { $0.bootID = bootID }
      #expect(store.flush(within: .seconds(30)))
    }
    #expect(lines.all.count == 1 && lines.all[0].contains("was deleted while Vireo runs"), "\(lines.all)")
    // As a kill would leave it.
    let copy = try TemporaryDirectory()
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.path + "/state") {
      try FileManager.default.copyItem(
        atPath: directory.path + "/state/" + name, toPath: copy.path + "/" + name)
    }
    let killed = openStore(copy.path)
    #expect(killed.snapshot == .full && killed.host.bootID == 10)
    #expect(killed.store.firstUnsavedID == 65537, "the note is there again")
    #expect(store.close(within: .seconds(30)))
    let again = openStore(directory.path + "/state", lines)
    #expect(again.snapshot == .full && again.host.bootID == 10)
    #expect(lines.all.count == 1, "\(lines.all)")
  }

  @Test(arguments: Loss.allCases) func anOrderlyEndWritesItEvenIfNothingChanged(loss: Loss) throws {
    let directory = try TemporaryDirectory()
    let store = open(in: directory, LogLines())
    try lose(loss, in: directory)
    #expect(store.close(within: .seconds(30)))
    let again = openStore(directory.path + "/state")
    #expect(again.snapshot == .full && again.host.bootID == 7 && again.store.firstUnsavedID == 0)
  }

  @Test func aMovedStateIsWholeWhereItIsNow() throws {
    let directory = try TemporaryDirectory()
    let store = open(in: directory, LogLines())
    try lose(.movedDatabase, in: directory)
    store.record(PlayerSnapshot.long(9))
    #expect(store.close(within: .seconds(30)))
    #expect(openStore(directory.path + "/state").snapshot == .long(9))
    try FileManager.default.createDirectory(
      atPath: directory.path + "/other", withIntermediateDirectories: false)
    try FileManager.default.moveItem(
      atPath: directory.path + "/moved.db", toPath: directory.path + "/other/state.db")
    #expect(openStore(directory.path + "/other").snapshot == .full)
  }

  /// Twice, and where it can't be written anew for a while.
  @Test func whatCantBeWrittenAnewIsWrittenLater() throws {
    let directory = try TemporaryDirectory()
    let lines = LogLines()
    let store = open(in: directory, lines)
    for round: UInt32 in 1...2 {
      try lose(.directory, in: directory)
      try Data().write(to: URL(fileURLWithPath: directory.path + "/state"))
      store.changeHost { $0.bootID = 7 + round }
      #expect(!store.flush(within: .seconds(30)))
      try FileManager.default.removeItem(atPath: directory.path + "/state")
      #expect(store.flush(within: .seconds(30)))
      #expect(lines.all.last?.contains("saved again") == true, "\(lines.all)")
    }
    #expect(lines.all.count == 6, "\(lines.all)")
    #expect(store.close(within: .seconds(30)))
    let again = openStore(directory.path + "/state")
    #expect(again.snapshot == .full && again.host.bootID == 9)
  }

  /// A backup that somebody puts there while the daemon runs.
  @Test(arguments: [false, true]) func aFileInItsPlaceIsKeptAndTheStateOfThisRunSaved(withoutLog: Bool) throws
  {
    let directory = try TemporaryDirectory()
    let (backup, lines) = (try TemporaryDirectory(), LogLines())
    do {
      let (store, _, _) = openStore(backup.path)
      store.record(PlayerSnapshot.long(3))
      #expect(store.close(within: .seconds(30)))
    }
    let store = open(in: directory, lines)
    try lose(withoutLog ? .databaseAndLog : .database, in: directory)
    let file = directory.path + "/state/state.db"
    try FileManager.default.copyItem(atPath: backup.database, toPath: file)
    store.changeHost { $0.bootID = 8 }
    #expect(store.flush(within: .seconds(30)))
    #expect(lines.all.count == 1 && lines.all[0].contains("took the place of"), "\(lines.all)")
    #expect(store.close(within: .seconds(30)))
    let again = openStore(directory.path + "/state")
    #expect(again.snapshot == .full && again.host.bootID == 8)
    #expect(again.store.close(within: .seconds(30)))
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/state")
    let kept = try #require(names.first { $0.hasPrefix("state.db.replaced-") && !$0.hasSuffix("-wal") })
    #expect(lines.all[0].contains(kept))
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.moveItem(atPath: directory.path + "/state/" + kept, toPath: file)
    #expect(openStore(directory.path + "/state").snapshot == .long(3))
  }

  /// A second daemon that began anew where the state was deleted owns what is there now.
  @Test func theStateOfAnotherDaemonIsLeftAlone() throws {
    let directory = try TemporaryDirectory()
    let lines = LogLines()
    let first = open(in: directory, lines)
    try lose(.directory, in: directory)
    let (second, _, _) = openStore(directory.path + "/state")
    second.record(PlayerSnapshot.long(3))
    #expect(second.flush(within: .seconds(30)))
    first.changeHost { $0.bootID = 8 }
    #expect(!first.flush(within: .seconds(30)))
    #expect(lines.all.count == 1 && lines.all[0].contains("another program"), "\(lines.all)")
    #expect(second.close(within: .seconds(30)))
    first.record(PlayerSnapshot.long(4))
    _ = first.close(within: .seconds(30))
    #expect(openStore(directory.path + "/state").snapshot == .long(3))
  }
}
