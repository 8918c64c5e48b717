import JSON
import Kept
import Renderers
import Testing

@testable import vireoctl

@Suite struct PlaylistTests {
  private let lists: [VireoPlaylist] = {
    let rows = ["Evening", "Evening songs", "7", "Ärger"].enumerated().map { index, name in
      #"{"id": \#(index + 11), "name": "\#(name)", "count": 3, "seconds": 61.6, "changed": 1800000000, "version": "4"}"#
    }
    let text =
      #"{"version": 1, "playlists": [\#(rows.joined(separator: ",")), {"id": "x"}, 7], "limit": 200}"#
    return VireoPlaylist.list(reading: Array(text.utf8)) ?? []
  }()

  private func named(_ text: String) -> Int? {
    try? StoredPlaylists.list(text, among: lists, of: "Kitchen").id
  }

  @Test func whatAVireoSaysIsRead() {
    #expect(lists.map(\.id) == [11, 12, 13, 14])
    #expect(lists[0].seconds == 62 && lists[0].count == 3 && lists[0].version == "4")
    #expect(VireoPlaylist.list(reading: Array("[]".utf8)) == nil)
    let page = VireoPlaylistTrack.page(
      reading: Array(#"{"tracks": [{"id": 5, "title": "A", "seconds": 3}, {"title": "B"}], "total": 2}"#.utf8)
    )
    #expect(page?.tracks.map(\.title) == ["A"] && page?.total == 2)
    let taken = VireoTaken(reading: Array(#"{"added": 2, "left": 1, "detail": "x"}"#.utf8))
    #expect(taken?.left == 1 && taken?.detail == "x" && taken?.playlist == nil)
  }

  @Test func aPlaylistIsNamed() {
    #expect(named("evening") == 11, "a whole name goes before the beginning of another")
    #expect(named("evening s") == 12)
    #expect(named("7") == 13, "a name goes before a number")
    #expect(named("4") == 14 && named("är") == 14)
    #expect(named("e") == nil && named("0") == nil && named("5") == nil && named("nothing") == nil)
  }

  /// What deletes must never take a name that only begins with the number.
  @Test func aNumberGoesBeforeTheBeginningOfAName() throws {
    let text = ["2024 hits", "A", "B"].enumerated().map { #"{"id": \#($0 + 1), "name": "\#($1)"}"# }
    let lists =
      VireoPlaylist.list(reading: Array(#"{"playlists": [\#(text.joined(separator: ","))]}"#.utf8)) ?? []
    #expect(StoredPlaylists.exactly("2", among: lists)?.name == "A")
    #expect(StoredPlaylists.exactly("a", among: lists)?.name == "A")
    for none in ["0", "4", "20", "2024", "-1", "\(Int.min)", ""] {
      #expect(StoredPlaylists.exactly(none, among: lists) == nil, "\(none)")
    }
    #expect(StoredPlaylists.exactly("1", among: []) == nil)
    #expect(try StoredPlaylists.list("2", among: lists, of: "Kitchen").name == "A")
    #expect(try StoredPlaylists.list("20", among: lists, of: "Kitchen").name == "2024 hits")
  }

  @Test(arguments: [Int.min, Int.min + 1, -1, Int(UInt32.max), Int.max])
  func extremeNumbersNameNoTrack(number: Int) throws {
    let tracks = try #require(
      VireoPlaylistTrack.page(
        reading: Array(#"{"tracks": [{"id": 5, "title": "A"}, {"id": 6, "title": "B"}], "total": 2}"#.utf8))
    ).tracks
    #expect(throws: Failure.self) { try StoredPlaylists.track("\(number)", among: tracks, of: lists[0]) }
    #expect(named("\(number)") == nil)
  }

  @Test func aListIsShown() {
    let report = PlaylistsView.report(lists)
    #expect(report.lines(.plain)[0] == "1\tEvening\t3\t1:02")
    #expect(
      report.lines(.json)[0].hasPrefix(
        #"[{"number": 1, "id": 11, "name": "Evening", "tracks": 3, "duration": 62"#))
  }

  @Test func filesHaveNamesAndFormats() {
    #expect(PlaylistFile.name(of: "/a/b/Evening songs.m3u8") == "Evening songs")
    #expect(PlaylistFile.name(of: "x") == "x" && PlaylistFile.name(of: "-") == nil)
    #expect(PlaylistFile.format(of: "a.M3U") == .m3u8 && PlaylistFile.format(of: "a.m3u8") == .m3u8)
    #expect(PlaylistFile.format(of: "a.xspf") == .xspf && PlaylistFile.format(of: "-") == nil)
  }
}
