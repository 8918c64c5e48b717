import GStreamerOutput
import Player
import Testing

@testable import Page
@testable import vireod

/// `[uploads]`.
@Suite struct UploadSettingsTests {
  private static func read(_ text: String) throws -> Settings {
    try SettingsReader.read(Array("[uploads]\n\(text)\n".utf8), file: "v").settings
  }

  @Test func theyAreOffAndBounded() {
    #expect(!Settings().uploads.enabled)
    #expect(Settings().uploads.limit == 1_000_000_000)
  }

  @Test(arguments: [
    ("\"1GB\"", 1_000_000_000), ("\"500 MB\"", 500_000_000), ("\"1.5gb\"", 1_500_000_000),
    ("2000000", 2_000_000),
    ("\"1500kB\"", 1_500_000), ("\"3000000\"", 3_000_000),
  ]) func sizesAreReadAsPeopleWriteThem(_ text: String, _ bytes: Int) throws {
    #expect(try Self.read("limit = \(text)").uploads.limit == bytes)
  }

  @Test(arguments: [
    "\"1 GiB\"", "\"much\"", "\"-1MB\"", "\"\"", "true", "10", "\"2TB\"", "-5", "\"1e99GB\"", "\".GB\"",
  ]) func whatIsNoSizeIsRefused(_ text: String) {
    #expect(throws: SettingsProblems.self) { try Self.read("limit = \(text)") }
  }

  @Test func sizesAreWrittenShortly() {
    #expect(SizeText.write(1_000_000_000) == "1GB")
    #expect(SizeText.write(1_500_000_000) == "1500MB")
    #expect(SizeText.write(1234) == "1234B")
  }

  @Test func theDirectoryIsTheOneOfTheCache() {
    func choose(_ configured: String = "", _ environment: [String: String]) -> String? {
      SongDirectory.choose(configured: configured) { environment[$0] }
    }
    #expect(choose("/srv/songs", ["CACHE_DIRECTORY": "/c"]) == "/srv/songs")
    #expect(choose(["CACHE_DIRECTORY": "/c:/d", "XDG_CACHE_HOME": "/x"]) == "/c/uploads")
    #expect(choose(["XDG_CACHE_HOME": "/x", "HOME": "/h"]) == "/x/vireo/uploads")
    #expect(choose(["XDG_CACHE_HOME": "x", "HOME": "/h"]) == "/h/.cache/vireo/uploads")
    #expect(choose([:]) == nil)
    func choose(_ environment: [String: String]) -> String? { choose("", environment) }
  }
}
