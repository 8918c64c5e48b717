import Testing
import Text
import UPnP

@testable import Services

@Suite struct SmallJSONTests {
  @Test func writesArrays() {
    #expect(SmallJSON.array([]) == "[]")
    #expect(SmallJSON.array(["playlist", "radio"]) == "[\"playlist\",\"radio\"]")
    #expect(SmallJSON.array(["a\"b\\c\nd\u{1}é"]) == "[\"a\\\"b\\\\c\\u000ad\\u0001é\"]")
  }

  @Test func readsFlatObjects() {
    #expect(SmallJSON.object("{}") == [:])
    #expect(
      SmallJSON.object(
        " { \"uri\" : \"http:\\/\\/h\\/a\\u00e9\\ud83d\\ude00\\n\" , \"id\":12, \"x\":true,\"y\":null } ")
        == ["uri": .text("http://h/aé😀\n"), "id": .number(12), "x": .boolean(true), "y": .null])
    #expect(SmallJSON.object("{\"a\":1,\"a\":2}")?["a"] == .number(2))
    #expect(SmallJSON.object("{\"a\":\"7\"}")?["a"] == .text("7"))
    #expect(SmallJSON.object("{\"a\":-1.5e3}") == ["a": .number(-1500)])
    #expect(SmallJSON.object("{\"a\":-1}")?["a"] == .number(-1))
  }

  @Test func noLetterHasManyMarks() throws {
    let marks = String(repeating: "\\u0301\\u0323", count: 500)
    let object = try #require(SmallJSON.object("{\"a\":\"\(marks)\"}"))
    let text = try #require(object["a"]?.text)
    #expect(text.unicodeScalars.count > 1000)
    #expect(text.utf8.elementsEqual(text.streamSafe.utf8))
  }

  @Test(arguments: [
    "", "{", "}", "[]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":1}x", "{a:1}", "{\"a\":[1]}",
    "{\"a\":{\"b\":1}}", "{\"a\":\"b}", "{\"a\":\"\\u12\"}", "{\"a\":\"\\", "{\"a\":tru}", "{\"a\":nan}",
    "{\"a\":1 \"b\":2}", "\"a\"",
  ])
  func refusesWhatIsNone(_ text: String) {
    #expect(SmallJSON.object(text) == nil)
  }

  @Test func theNumberOfMembersIsBounded() {
    func object(_ count: Int) -> String {
      "{" + (0..<count).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
    }
    #expect(SmallJSON.object(object(32))?.count == 32)
    #expect(SmallJSON.object(object(33)) == nil)
  }
}
