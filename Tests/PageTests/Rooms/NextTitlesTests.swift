import JSON
import SeededRandom
import Testing

@testable import Page
@testable import Player

/// The next titles: ours for others, and those of others.
@Suite struct NextTitlesTests {
  private func titles(_ rig: APIRig) async -> [String] {
    API.NextTitles(await rig.state()).titles.map(\.title)
  }

  @Test func tenFollowTheCurrentOne() async throws {
    let rig = try await APIRig()
    #expect(await titles(rig) == [])
    try await rig.fill(14)
    #expect(await titles(rig) == (2...11).map { "\($0).flac" })
    try await rig.perform(.playlist(.playID(12)))
    #expect(await titles(rig) == ["13.flac", "14.flac"])
  }

  @Test func whatElsePlaysHasOneAtMost() async throws {
    let rig = try await APIRig()
    try await rig.fill(3)
    try await rig.perform(.receiver(.setSender(Media(uri: "ohz://239.255.255.250:51972/zone"))))
    #expect(await titles(rig) == [])
  }

  @Test func othersAreReadLeniently() {
    let text =
      #"{"more": 1, "titles": [{"title": "One", "artist": "Somebody", "x": []}, {"artist": "no title"}, 7, {"title": ""}, {"title": "Two\u0000\u0085\n", "artist": 3}, {"title": 4}]}"#
    let read = API.NextTitles(reading: [UInt8](text.utf8))
    #expect(
      read?.titles == [API.NextTitle(title: "One", artist: "Somebody"), API.NextTitle(title: "Two")])
  }

  @Test func anotherRoomsCodeIsOneOrNone() {
    func code(_ text: String) -> String? {
      API.NextTitles(reading: [UInt8](#"{"titles":[],"party":\#(text)}"#.utf8))?.party
    }
    #expect(code(#""ABCD2345""#) == "ABCD2345")
    for text in [#""abcd2345""#, #""ABCD234""#, #""/../../x""#, #""ABCD234\u00c4""#, "7", "null", #""""#] {
      #expect(code(text) == nil)
    }
  }

  @Test(arguments: [
    "", "{}", "[]", "null", #"{"titles": {}}"#, #"{"titles": [}"#, "\u{0}", #"{"titles":[[[[[[]]]]]]}"#,
  ])
  func nonsenseIsNothing(_ text: String) {
    #expect(API.NextTitles(reading: [UInt8](text.utf8)) == nil)
  }

  @Test func theyAreBounded() throws {
    let long = String(repeating: "ä", count: 5000)
    let title = #"{"title":"\#(long)","artist":"\#(long)"}"#
    let few = try #require(API.NextTitles(reading: [UInt8](#"{"titles":[\#(title)]}"#.utf8)))
    #expect(few.titles[0].title.count == 200 && few.titles[0].artist?.count == 200)
    let many = #"{"titles":[\#(Array(repeating: #"{"title":"a"}"#, count: 60).joined(separator: ","))]}"#
    #expect(API.NextTitles(reading: [UInt8](many.utf8))?.titles.count == 10)
    let huge = #"{"titles":[\#(Array(repeating: title, count: 6).joined(separator: ","))]}"#
    #expect(huge.utf8.count > API.NextTitles.longestAnswer)
    #expect(API.NextTitles(reading: [UInt8](huge.utf8)) == nil)
  }

  /// Ours are what a room of the same kind reads.
  @Test func oursAreRead() async throws {
    let rig = try await APIRig()
    try await rig.fill(4)
    let ours = API.NextTitles(await rig.state())
    #expect(API.NextTitles(reading: ours.json) == ours)
  }

  @Test func anyInputIsSurvived() {
    var random = SeededRandom(seed: 14)
    let sample = [UInt8](#"{"titles":[{"title":"One","artist":"\u00e4"},{"title":"Two"}]}"#.utf8)
    for _ in 0..<5000 {
      var bytes = sample
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      let read = API.NextTitles(reading: bytes)
      #expect(read?.titles.count ?? 0 <= 10)
    }
  }
}
