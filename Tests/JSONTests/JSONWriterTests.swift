import JSON
import Testing

@Suite struct JSONWriterTests {
  private func text(_ value: some JSONWritable) -> String { String(decoding: value.json, as: UTF8.self) }

  @Test func values() {
    #expect(text(true) == "true")
    #expect(text(-5) == "-5")
    #expect(text(2.0) == "2")
    #expect(text(2.5) == "2.5")
    #expect(text(Double.infinity) == "null")
    #expect(text([1, 2, 3]) == "[1,2,3]")
    #expect(text([[Int]]()) == "[]")
    #expect(text([[1], []]) == "[[1],[]]")
  }

  @Test func stringsAreEscaped() {
    #expect(text("a\"b\\c\n\u{1}\u{1f}\u{7f}é😀/<") == #""a\"b\\c\n\u0001\u001f\u007fé😀/<""#)
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    let value = JSONValue.object([
      JSONMember("a\"b", .array([.null, .boolean(true), .number(0.1), .string("x\u{0}y")])),
      JSONMember("c", .object([])), JSONMember("", .array([])),
    ])
    #expect(try JSONValue(reading: value.json) == value)
  }
}
