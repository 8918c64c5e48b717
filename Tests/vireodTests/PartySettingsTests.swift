import Testing

@testable import vireod

@Suite struct PartySettingsTests {
  private func read(_ text: String) throws -> Settings.Party {
    try SettingsReader.read(Array(text.utf8), file: "v.toml").settings.party
  }

  @Test func thereIsNoPartyByDefault() throws {
    let party = try read("")
    #expect(party.mode == nil && party.deskSettings.length == .seconds(8 * 3600))
    #expect(party.deskSettings.rules.requests == 10 && party.deskSettings.rules.every == .seconds(120))
    #expect(party.deskSettings.rules.hasVotes)
  }

  @Test func itsFiguresAreRead() throws {
    let party = try read(
      """
      [party]
      start = "add"
      hours = 3
      requests = 2
      every = "30s"
      votes = false
      """)
    #expect(party.mode == .add && party.deskSettings.length == .seconds(3 * 3600))
    #expect(party.deskSettings.rules.requests == 2 && party.deskSettings.rules.every == .seconds(30))
    #expect(!party.deskSettings.rules.hasVotes)
  }

  @Test(arguments: [
    "start = \"maybe\"", "hours = 0", "hours = 25", "requests = 0", "every = \"0s\"", "votes = 1",
  ])
  func mistakesAreTold(_ line: String) {
    #expect(throws: SettingsProblems.self) { try read("[party]\n\(line)\n") }
  }
}
