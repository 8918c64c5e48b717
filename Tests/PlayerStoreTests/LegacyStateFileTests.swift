import Foundation
import Player
import Testing

@testable import PlayerStore

private let whole = """
  # State of vireod. Written by the daemon; safe to delete while it doesn't run.
  version = 1
  boot-id = 7
  installation-id = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"

  # level: 1/256 dB; without it, silence
  master = { level = -2560, muted = true }
  left = { muted = false }
  right = { level = 0, muted = false }
  # end

  """

@Suite struct LegacyStateFileTests {
  @Test func whatVersion1WroteIsTakenOverOnce() throws {
    let directory = try TemporaryDirectory()
    try whole.write(toFile: directory.path + "/state.toml", atomically: false, encoding: .utf8)
    let expected = PlayerSnapshot(
      master: .init(decibels: -2560, isMuted: true), left: .init(decibels: nil, isMuted: false),
      right: .init(decibels: 0, isMuted: false))
    do {
      let (store, host, snapshot) = openStore(directory.path)
      #expect(host == HostState(bootID: 7, installationID: String(repeating: "a1", count: 16)))
      #expect(snapshot == expected)
      // Not saved yet: a crash now must find the old file again.
      #expect(directory.names.contains("state.toml"))
      store.changeHost { $0 = HostState(bootID: 8, installationID: host.installationID) }
      #expect(store.close())
    }
    #expect(directory.names == ["state.db"])
    let (_, host, snapshot) = openStore(directory.path)
    #expect(host.bootID == 8)
    #expect(snapshot == expected)
  }

  @Test func aFileThatIsCutOffIsSetAside() throws {
    let directory = try TemporaryDirectory()
    try "version = 1\nboot-id = 3\n".write(
      toFile: directory.path + "/state.toml", atomically: false, encoding: .utf8)
    let lines = LogLines()
    let (_, host, snapshot) = openStore(directory.path, lines)
    #expect(host == HostState())
    #expect(snapshot == nil)
    #expect(directory.names.contains { $0.hasPrefix("state.toml.damaged-") })
    #expect(lines.all.count == 1)
  }

  @Test func everyCutIsDamage() {
    for length in 0..<(whole.utf8.count - 1) {
      #expect(LegacyStateFile.parse(String(whole.prefix(length))) == nil)
    }
  }

  @Test(arguments: [
    "version = 2\nboot-id = 1\n# end\n", "version = 1\n# end\n", "version = 1\nboot-id = -1\n# end\n",
    "version = 1\nboot-id = 1\ninstallation-id = \"x\"\n# end\n", "version = 1\nboot-id = 1\nwhat\n# end\n",
    "version = 1\nboot-id = 1\nmaster = { muted = true }\n# end\n",
    "version = 1\nboot-id = 1\nmaster = { level = 1, muted = true }\nleft = { muted = true }\nright = { muted = true }\n# end\n",
    "version = 1\nboot-id = 1\nmaster = { level = -1 }\nleft = { muted = true }\nright = { muted = true }\n# end\n",
  ])
  func damageIsNoticed(text: String) { #expect(LegacyStateFile.parse(text) == nil) }
}
