import Foundation
import Logging
import NIOPosix
import Player
import Testing

@testable import vireod

private let full = SavedState(
  bootID: 7, installationID: String(repeating: "a1", count: 16),
  player: .init(
    master: .init(decibels: -2560, isMuted: true), left: .init(decibels: nil, isMuted: false),
    right: .init(decibels: 0, isMuted: false)),
  formats: FormatCache(key: "0.1.0 1.5", mimeTypes: ["audio/flac", "audio/L16;rate=44100;channels=2"]))

@Suite struct StateCodecTests {
  @Test(arguments: [SavedState(), full, SavedState(bootID: .max)])
  func whatIsWrittenIsReadBack(state: SavedState) throws {
    #expect(try StateCodec.decode(StateCodec.encode(state)) == state)
  }

  /// A file cut anywhere is noticed, never half believed.
  @Test func everyCutIsDamage() {
    let bytes = StateCodec.encode(full)
    for length in 0..<bytes.count {
      #expect {
        try StateCodec.decode(Array(bytes.prefix(length)))
      } throws: { error in
        if case .damaged = error as? StateCodec.Problem { true } else { false }
      }
    }
  }

  @Test(arguments: [
    "version = 1\n# end\n", "version = 0\nboot-id = 1\n# end\n", "version = 1\nboot-id = -1\n# end\n",
    "version = 1\nboot-id = 1\ninstallation-id = \"x\"\n# end\n",
    "version = 1\nboot-id = 1\nmaster = {level = 1, muted = false}\n# end\n",
    "version = 1\nboot-id = 1\nmaster = {level = -1}\n# end\n",
    "version = 1\nboot-id = 1\nmaster = {muted = false}\n# end\n",
    "version = 1\nboot-id = 1\nformats-of = \"x\"\n# end\n",
    "version = 1\nboot-id = 1\nformats-of = \"x\"\nformats = [\"a\\nb\"]\n# end\n", "not TOML", "",
  ])
  func damageIsNoticed(text: String) {
    #expect {
      try StateCodec.decode(Array(text.utf8))
    } throws: { error in
      if case .damaged = error as? StateCodec.Problem { true } else { false }
    }
  }

  @Test func aNewerVersionIsRefused() {
    #expect(throws: StateCodec.Problem.newer(2)) {
      try StateCodec.decode(Array("version = 2\nwhatever = []\n".utf8))
    }
  }
}

@Suite struct StateFileTests {
  @Test func aFirstStartFindsNothingAndMakesTheDirectory() throws {
    let directory = try TemporaryDirectory()
    let file = StateFile(directory: directory.path + "/a/b")
    #expect(file.load(date: "D") == .absent)
    try file.write(full)
    #expect(file.load(date: "D") == .state(full))
    #expect(try FileManager.default.contentsOfDirectory(atPath: file.directory) == ["state.toml"])
  }

  @Test func aDamagedFileIsSetAside() throws {
    let directory = try TemporaryDirectory()
    let file = StateFile(directory: directory.path)
    let path = try directory.write("garbage", to: "state.toml")
    guard case .setAside(let reason, let keptAs) = file.load(date: "20261121T170251") else {
      Issue.record("not set aside")
      return
    }
    #expect(reason.hasPrefix("it is damaged"))
    #expect(keptAs == path + ".damaged-20261121T170251")
    #expect(directory.names == ["state.toml.damaged-20261121T170251"])
    try file.write(full)
    #expect(file.load(date: "D") == .state(full))
  }

  @Test func aHugeFileIsDamage() throws {
    let directory = try TemporaryDirectory()
    _ = try directory.write(String(repeating: "#", count: 100_000), to: "state.toml")
    guard case .setAside = StateFile(directory: directory.path).load(date: "D") else {
      Issue.record("not set aside")
      return
    }
  }

  @Test func aNewerFileIsKeptForTheNewerVireo() throws {
    let directory = try TemporaryDirectory()
    _ = try directory.write("version = 9\n", to: "state.toml")
    guard case .setAside(let reason, _) = StateFile(directory: directory.path).load(date: "D") else {
      Issue.record("not set aside")
      return
    }
    #expect(reason == "a later Vireo wrote it (version 9)")
    #expect(directory.names == ["state.toml.version-9"])
  }

  /// A write that is cut short leaves the old state: the new one is complete in a file of its own first.
  @Test func aFailedWriteLeavesTheOldState() throws {
    let directory = try TemporaryDirectory()
    let file = StateFile(directory: directory.path)
    try file.write(full)
    // A directory in the temporary file's place makes opening it fail, for root too.
    try FileManager.default.createDirectory(
      atPath: directory.path + "/.state.toml.new", withIntermediateDirectories: false)
    #expect(throws: FileFailure.self) { try file.write(SavedState()) }
    #expect(file.load(date: "D") == .state(full))
  }

  @Test func aSymbolicLinkIsNotFollowed() throws {
    let directory = try TemporaryDirectory()
    let file = StateFile(directory: directory.path)
    let victim = try directory.write("precious", to: "victim")
    try FileManager.default.createSymbolicLink(
      atPath: directory.path + "/.state.toml.new", withDestinationPath: victim)
    #expect(throws: FileFailure.self) { try file.write(full) }
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
  }

  @Test func aPlaceThatCantBeWrittenIsAFailure() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("a file, not a directory", to: "file")
    #expect(throws: FileFailure.self) { try StateFile(directory: path + "/state").write(full) }
  }

  @Test func theDirectoryIsChosenAsDocumented() {
    let choose = { (option: String?, environment: [String: String]) in
      StateDirectory.choose(option: option) { environment[$0] }
    }
    let all = ["STATE_DIRECTORY": "/a:/b", "XDG_STATE_HOME": "/x", "HOME": "/h", "PWD": "/p"]
    #expect(choose("/o", all) == "/o")
    #expect(choose("o", all) == "/p/o")
    #expect(choose(nil, all) == "/a")
    #expect(choose(nil, ["XDG_STATE_HOME": "/x", "HOME": "/h"]) == "/x/vireo")
    #expect(choose(nil, ["XDG_STATE_HOME": "", "HOME": "/h"]) == "/h/.local/state/vireo")
    #expect(choose(nil, [:]) == nil)
  }
}

@Suite struct SavePlanTests {
  private func change(_ plan: inout SavePlan, _ bootID: UInt32) -> SavePlan.Action {
    plan.change { $0.bootID = bootID }
  }

  @Test func manyChangesAreOneWrite() {
    var plan = SavePlan(stored: nil)
    #expect(change(&plan, 1) == .startTimer)
    for number in 2..<40 { #expect(change(&plan, UInt32(number)) == .nothing) }
    #expect(plan.timerFired() == .write(SavedState(bootID: 39)))
    #expect(plan.wrote(SavedState(bootID: 39), successfully: true) == .nothing)
    #expect(plan.finish() == nil)
  }

  @Test func whatIsStoredIsntWrittenAgain() {
    var plan = SavePlan(stored: full)
    #expect(change(&plan, 7) == .nothing)
    #expect(change(&plan, 8) == .startTimer)
    #expect(change(&plan, 7) == .nothing)
    #expect(plan.timerFired() == .nothing)
  }

  @Test func aChangeDuringAWriteIsWrittenAfterIt() {
    var plan = SavePlan(stored: nil)
    _ = change(&plan, 1)
    _ = plan.timerFired()
    #expect(change(&plan, 2) == .nothing)
    #expect(plan.wrote(SavedState(bootID: 1), successfully: true) == .startTimer)
    #expect(plan.timerFired() == .write(SavedState(bootID: 2)))
  }

  @Test func aFailureIsRetriedOnlyWithTheNextChange() {
    var plan = SavePlan(stored: nil)
    _ = change(&plan, 1)
    _ = plan.timerFired()
    #expect(plan.wrote(SavedState(bootID: 1), successfully: false) == .nothing)
    #expect(change(&plan, 2) == .startTimer)
    #expect(plan.finish() == SavedState(bootID: 2))
  }
}

@Suite struct StateStoreTests {
  @Test func changesReachTheDiskAtTheEnd() async throws {
    let directory = try TemporaryDirectory()
    let file = StateFile(directory: directory.path)
    let store = StateStore(
      eventLoop: MultiThreadedEventLoopGroup.singleton.next(), file: file, stored: nil,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    await store.change { $0 = full }
    await store.finish()
    #expect(file.load(date: "D") == .state(full))
  }

  @Test func withoutADirectoryNothingHappens() async {
    let store = StateStore(
      eventLoop: MultiThreadedEventLoopGroup.singleton.next(), file: nil, stored: nil,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    await store.change { $0 = full }
    await store.finish()
  }
}
