import Player
import Testing

@testable import PlayerStore

/// A later release opens what this one has written.
@Suite struct MigrationTests {
  private static let next = ["ALTER TABLE track ADD COLUMN rating INTEGER DEFAULT 3"]

  private func saved() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    let (store, _, _) = openStore(directory.path)
    store.record(.full)
    try #require(store.close(within: .seconds(30)))
    return directory
  }

  private func open(_ directory: TemporaryDirectory, _ steps: [StateDatabase.Step]) throws -> Database {
    try StateDatabase(path: directory.database, mode: .readWrite, steps: steps).database
  }

  @Test func anOlderStateIsBroughtForwardOnceAndKeepsItsRows() throws {
    let directory = try saved()
    let count = Int64(PlayerSnapshot.full.tracks.count)
    for _ in 1...2 {
      let database = try open(directory, StateDatabase.steps + [Self.next])
      #expect(try database.number("PRAGMA user_version") == Int64(StateDatabase.steps.count + 1))
      #expect(try database.number("SELECT count(*) FROM track WHERE rating = 3 AND uri IS NOT NULL") == count)
    }
  }

  @Test func allStepsAreTakenFromAnEmptyFile() throws {
    let directory = try TemporaryDirectory()
    let database = try open(directory, StateDatabase.steps + [Self.next, Self.rename])
    #expect(try database.number("PRAGMA user_version") == Int64(StateDatabase.steps.count + 2))
    #expect(try database.number("SELECT count(stars) FROM track") == 0)
  }

  private static let rename = ["ALTER TABLE track RENAME COLUMN rating TO stars"]

  @Test func aStepThatFailsLeavesTheStateAsItWas() throws {
    let directory = try saved()
    let broken = ["DELETE FROM track", "SELECT nothing FROM nowhere"]
    #expect(throws: StateDatabase.Problem.self) { try open(directory, StateDatabase.steps + [broken]) }
    #expect(openStore(directory.path).snapshot == .full)
  }
}
