import Foundation
import Kept
import Player
import Testing

@testable import PlayerStore

/// Disks that are full or can't be written.
@Suite struct RefusalTests {
  /// A directory where the log should be: no connection that writes can be opened, by root neither.
  private func makeReadOnly(_ directory: TemporaryDirectory) throws {
    try FileManager.default.createDirectory(
      atPath: directory.database + "-wal", withIntermediateDirectories: false)
  }

  private func makeWritable(_ directory: TemporaryDirectory) throws {
    try FileManager.default.removeItem(atPath: directory.database + "-wal")
  }

  @Test func aReadOnlyStateIsReadReportedOnceAndSavedWhenItCanBe() throws {
    let directory = try TemporaryDirectory()
    do {
      let (store, _, _) = openStore(directory.path)
      store.changeHost { $0 = HostState(bootID: 4) }
      store.record(PlayerSnapshot.full)
      #expect(store.close(within: .seconds(30)))
    }
    try makeReadOnly(directory)
    let lines = LogLines()
    let (store, host, read) = openStore(directory.path, lines)
    #expect(host.bootID == 4)
    var snapshot = try #require(read)
    #expect(snapshot == .full)
    for id in 10..<20 {
      snapshot.append(UInt32(id))
      store.record(snapshot)
      #expect(!store.flush(within: .seconds(30)))
    }
    #expect(lines.all.count == 1, "\(lines.all)")
    #expect(lines.all.first?.contains("can't be saved") == true)
    try makeWritable(directory)
    #expect(store.close(within: .seconds(30)))
    #expect(lines.all.count == 2, "\(lines.all)")
    #expect(lines.all.last?.contains("saved again") == true)
    #expect(openStore(directory.path).snapshot == snapshot)
  }

  /// Stored playlists play from a disk that can't be written, and can't be changed there.
  @Test func keptListsAreReadFromAReadOnlyState() async throws {
    let directory = try TemporaryDirectory()
    let tracks = [KeptTrack(.numbered(1), server: nil), KeptTrack(.numbered(2), server: "udn")]
    var store = openStore(directory.path).store
    let id = try await store.keep(KeptEdit(.create("Evening", tracks)), at: 1).get().id
    #expect(store.close(within: .seconds(30)))
    try makeReadOnly(directory)
    store = openStore(directory.path).store
    store.record(PlayerSnapshot.full)
    #expect(!store.flush(within: .seconds(30)))
    #expect(store.keptHeads().map(\.name) == ["Evening"])
    let part = try await store.keptTracks(of: id, from: 0, count: .max).get()
    #expect(part.entries.map(\.track) == tracks)
    #expect(await store.keptTracks(of: 9, from: 0, count: 1) == .failure(.refused(.noList)))
    #expect(await store.keep(KeptEdit(.delete(id)), at: 1) == .failure(.notWritten))
    try makeWritable(directory)
    #expect(store.close(within: .seconds(30)))
  }

  @Test func aPlaceThatCantBeADirectoryIsReportedOnce() throws {
    let directory = try TemporaryDirectory()
    try Data().write(to: URL(fileURLWithPath: directory.path + "/file"))
    let lines = LogLines()
    let (store, host, snapshot) = openStore(directory.path + "/file/state", lines)
    #expect(host == HostState())
    #expect(snapshot == nil)
    store.record(PlayerSnapshot.full)
    #expect(!store.close(within: .seconds(30)))
    #expect(lines.all.count == 1, "\(lines.all)")
  }

  /// A state that couldn't be read must not be overwritten by one that begins from nothing.
  @Test func whatWasNeverReadIsNotOverwritten() throws {
    let directory = try TemporaryDirectory()
    do {
      let (store, _, _) = openStore(directory.path)
      store.record(PlayerSnapshot.full)
      #expect(store.close(within: .seconds(30)))
    }
    let hidden = directory.path + "/hidden"
    try FileManager.default.moveItem(atPath: directory.database, toPath: hidden)
    try FileManager.default.createDirectory(atPath: directory.database, withIntermediateDirectories: false)
    let (store, _, snapshot) = openStore(directory.path)
    #expect(snapshot == nil)
    try FileManager.default.removeItem(atPath: directory.database)
    try FileManager.default.moveItem(atPath: hidden, toPath: directory.database)
    store.record(PlayerSnapshot.fresh)
    #expect(store.close(within: .seconds(30)))
    #expect(openStore(directory.path).snapshot == .fresh)
    let kept = try #require(directory.names.first { $0.hasPrefix("state.db.unread-") })
    try FileManager.default.removeItem(atPath: directory.database)
    try FileManager.default.moveItem(atPath: directory.path + "/" + kept, toPath: directory.database)
    #expect(openStore(directory.path).snapshot == .full)
  }

  /// Two daemons on one state: the second one leaves it alone and says so.
  @Test func aStateInUseIsLeftAlone() throws {
    let directory = try TemporaryDirectory()
    let (first, _, _) = openStore(directory.path)
    first.record(PlayerSnapshot.full)
    #expect(first.flush(within: .seconds(30)))
    let lines = LogLines()
    let (second, _, snapshot) = openStore(directory.path, lines)
    #expect(snapshot == nil)
    second.record(PlayerSnapshot.fresh)
    #expect(second.close(within: .seconds(30)))
    #expect(lines.all.count == 1)
    #expect(lines.all.first?.contains("another program") == true, "\(lines.all)")
    #expect(first.close(within: .seconds(30)))
    #expect(directory.names == ["state.db"])
    #expect(openStore(directory.path).snapshot == .full)
  }

  /// As above, when both begin with an empty directory.
  @Test func aStateThatAppearsMeanwhileIsNotOverwritten() throws {
    let directory = try TemporaryDirectory()
    let lines = LogLines()
    let (second, _, _) = openStore(directory.path, lines)
    let (first, _, _) = openStore(directory.path)
    first.record(PlayerSnapshot.full)
    #expect(first.flush(within: .seconds(30)))
    second.record(PlayerSnapshot.fresh)
    #expect(!second.flush(within: .seconds(30)))
    #expect(lines.all.first?.contains("another program") == true, "\(lines.all)")
    #expect(first.close(within: .seconds(30)))
    // Also when it is free again, and although the second one wants to save still.
    _ = second.flush(within: .seconds(30))
    #expect(openStore(directory.path).snapshot == .full)
    second.record(PlayerSnapshot.fresh)
    #expect(second.close(within: .seconds(30)))
    #expect(openStore(directory.path).snapshot == .full)
    #expect(directory.names == ["state.db"])
    #expect(lines.all.count == 1, "\(lines.all)")
  }

  /// Nobody has to touch the player for that, or to start the daemon anew.
  @Test(.timeLimit(.minutes(1))) func whatADiskRefusedIsSavedWhenItCanBe() async throws {
    let directory = try TemporaryDirectory()
    try makeReadOnly(directory)
    let lines = LogLines()
    let (store, _, _) = openStore(directory.path, lines)
    store.record(PlayerSnapshot.full)
    #expect(!store.flush(within: .seconds(30)))
    try makeWritable(directory)
    // After a second; the log tells when it is done.
    while lines.all.count < 2 { try await Task.sleep(for: .milliseconds(20)) }
    #expect(lines.all.last?.contains("saved again") == true, "\(lines.all)")
    let copy = try TemporaryDirectory()
    for end in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: directory.database + end, toPath: copy.database + end)
    }
    #expect(openStore(copy.path).snapshot == .full)
    #expect(store.close(within: .seconds(30)))
  }

  /// Something else in the place of the state is named, and nothing is opened that would never let go.
  @Test(arguments: [
    "pipe", "directory", "link", "directory is a pipe", "directory is a file", "directory is a link",
  ])
  func whatIsInTheWayIsNamed(kind: String) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/state"
    let place = kind.hasPrefix("directory is") ? path : path + "/state.db"
    if place != path {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    switch kind.split(separator: " ").last {
    case "pipe": #expect(mkfifo(place, 0o600) == 0)
    case "file": try Data().write(to: URL(fileURLWithPath: place))
    case "link":
      try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: "/nowhere/at/all")
    default: try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    }
    let obstacle = try #require(PlayerStore.obstacle(in: path))
    let word = ["pipe": "named pipe", "link": "link that leads nowhere"][
      kind.split(separator: " ").last ?? ""]
    #expect(obstacle.hasPrefix("\(place) is a \(word ?? String(kind.split(separator: " ").last ?? ""))"))
    let lines = LogLines()
    let (store, _, saved) = openStore(path, lines)
    #expect(saved == nil)
    #expect(lines.all.count == 1 && lines.all[0].hasPrefix("error ") && lines.all[0].contains(obstacle))
    store.begin(bootID: 1, firstID: 1)
    store.record(PlayerSnapshot.full)
    #expect(!store.flush(within: .seconds(30)))
    // Once it is out of the way, all is saved.
    try FileManager.default.removeItem(atPath: place)
    #expect(PlayerStore.obstacle(in: path) == nil)
    #expect(store.close(within: .seconds(30)))
    #expect(openStore(path).snapshot == .full)
  }

  @Test func aLinkToWhereTheStateIsIsNotInTheWay() throws {
    let directory = try TemporaryDirectory()
    let (store, _, _) = openStore(directory.path + "/real")
    store.record(PlayerSnapshot.full)
    #expect(store.close(within: .seconds(30)))
    try FileManager.default.createSymbolicLink(
      atPath: directory.path + "/link", withDestinationPath: directory.path + "/real")
    #expect(PlayerStore.obstacle(in: directory.path + "/link") == nil)
    #expect(openStore(directory.path + "/link").snapshot == .full)
  }

  /// No file of this process can grow beyond 200 kB for a while, as on a disk that is full.
  @Test func aFullDiskIsReportedOnceAndLosesNothing() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      let lines = LogLines()
      let (store, _, _) = openStore(directory.path, lines)
      var snapshot = PlayerSnapshot.long(20)
      store.record(snapshot)
      #expect(store.flush(within: .seconds(30)))
      let saved = snapshot
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 200_000, rlim_max: .max)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      for round in 0..<3 {
        for _ in 0..<500 { snapshot.append(snapshot.tracks.lastID + 1, bytes: 1000) }
        store.record(snapshot)
        try #require(!store.flush(within: .seconds(30)), "round \(round)")
      }
      try #require(lines.all.count == 1 && lines.all[0].contains("can't be saved"))
      // What is on the disk is the last whole state.
      let copy = try TemporaryDirectory()
      for end in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: directory.database + end, toPath: copy.database + end)
      }
      try #require(openStore(copy.path).snapshot == saved)
      limit.rlim_cur = .max
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      try #require(store.close(within: .seconds(60)))
      try #require(lines.all.count == 2 && lines.all[1].contains("saved again"))
      try #require(openStore(directory.path).snapshot == snapshot)
    }
  }
}
