import SeededRandom
import Testing

@testable import ControlPoint

@Suite struct SearchCriteriaTests {
  private let all = ContentCapabilities(search: "*", sort: "")

  @Test(arguments: [
    (SearchCriteria.everything, "*"),
    (.compare(.title, .contains, "a\"b\\c"), #"dc:title contains "a\"b\\c""#),
    (.compare(.title, .contains, "a\nb"), #"dc:title contains "a b""#),
    (.exists(.refID, false), "@refID exists false"),
    (
      .all([.compare(.mediaClass, .derivedFrom, "object.item"), .any([.compare(.title, .equal, "x")])]),
      #"(upnp:class derivedfrom "object.item") and (dc:title = "x")"#
    ),
    (
      .any([.compare(.title, .equal, "x"), .all([.exists(.album, true), .exists(.genre, true)])]),
      #"(dc:title = "x") or ((upnp:album exists true) and (upnp:genre exists true))"#
    ),
    (.all([]), "*"), (.all([.everything, .exists(.album, true)]), "upnp:album exists true"),
  ])
  func writes(_ criteria: SearchCriteria, _ text: String) {
    #expect(criteria.text == text)
  }

  /// Whatever is searched for, it can't end the quotation.
  @Test func quotationsAreClosed() {
    var random = SeededRandom(seed: 3)
    for _ in 0..<500 {
      let word = String((0..<8).map { _ in "\"\\a ()\n'".randomElement(using: &random) ?? "a" })
      let text = SearchCriteria.compare(.title, .contains, word).text
      var (isEscaped, quotes) = (false, 0)
      for character in text {
        if isEscaped {
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else if character == "\"" {
          quotes += 1
        }
      }
      #expect(quotes == 2 && !isEscaped && text.hasSuffix("\""), "\(text)")
    }
  }

  @Test func onlyUsablePropertiesAreAskedFor() {
    let titles = ContentCapabilities(search: "dc:title, upnp:class", sort: "")
    #expect(
      SearchedKind.track.criteria("blue moon", titles).map(\.text) == [
        #"(upnp:class derivedfrom "object.item.audioItem") and ((dc:title contains "blue") and (dc:title contains "moon"))"#
      ])
    #expect(
      SearchedKind.track.criteria("x", ContentCapabilities(search: "upnp:artist", sort: "")).map(\.text)
        == [#"upnp:artist contains "x""#])
    #expect(SearchedKind.track.criteria("x", ContentCapabilities(search: "", sort: "")).isEmpty)
    #expect(SearchedKind.album.criteria("x", ContentCapabilities(search: "upnp:genre", sort: "")).isEmpty)
    #expect(SearchedKind.album.criteria("  ", all).isEmpty)
    #expect(SearchedKind.album.criteria("x", all).count == 2)
    #expect(
      SearchedKind.album.criteria("x", all).first?.text
        == #"(upnp:class = "object.container.album.musicAlbum") and (dc:title contains "x")"#)
  }

  @Test func sortsByWhatTheServerOffers() {
    let some = ContentCapabilities(search: "", sort: "dc:title,+upnp:originalTrackNumber, ,dc:date")
    #expect(
      some.sorting(by: [.discNumber, .trackNumber, .title]) == "+upnp:originalTrackNumber,+dc:title")
    #expect(ContentCapabilities(search: "", sort: "*").sorting(by: [.title]) == "+dc:title")
    #expect(ContentCapabilities(search: "", sort: "").sorting(by: [.title]) == "")
  }

  @Test func filtersLocally() {
    var object = LyingServer.object("1")
    object.title = "Army of Me"
    object.artist = "Björk"
    #expect(object.matches("björk army") && object.matches("") && !object.matches("björk blue"))
  }
}
