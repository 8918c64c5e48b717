import Testing
import Text

@Suite struct StringSearchTests {
  @Test(arguments: [
    ("a - b", " - ", 1), ("aab", "ab", 1), ("ab", "ab", 0), ("über ab", "ab", 6), ("a-b", " - ", nil),
    ("a", "ab", nil), ("", "a", nil), ("a", "", nil),
  ])
  func theFirstPlaceIsFound(text: String, part: String, place: Int?) {
    let found = text.firstPlace(of: part)
    #expect(found.map { text.utf8.distance(from: text.startIndex, to: $0.lowerBound) } == place)
    #expect(found.map { String(text[$0]) } == place.map { _ in part })
    #expect(text.includes(part) == (place != nil))
  }

  @Test(arguments: [
    ("a&amp;b&amp;", "a&b&"), ("&amp;amp;", "&amp;"), ("none", "none"), ("", ""), ("&amp", "&amp"),
  ])
  func eachPlaceIsReplaced(text: String, result: String) {
    #expect(text.withEach("&amp;", replacedBy: "&") == result)
  }
}
