import Testing
import Text

@Suite struct CountedTests {
  @Test func oneAndManyAreTold() {
    #expect([0, 1, 2].map { counted($0, "track") } == ["0 tracks", "1 track", "2 tracks"])
    #expect(
      [0, 1, 2].map { counted($0, "address", "addresses") } == ["0 addresses", "1 address", "2 addresses"])
    #expect(counted(1, "track was", "tracks were") == "1 track was")
    #expect(counted(Int.min, "track") == "\(Int.min) tracks" && counted(-1, "track") == "-1 tracks")
  }
}
