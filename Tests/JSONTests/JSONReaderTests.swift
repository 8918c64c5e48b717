import JSON
import Testing

@Suite struct JSONReaderTests {
  private func read(_ text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) -> JSONValue {
    try JSONValue(reading: [UInt8](text.utf8), limits: limits)
  }

  @Test func valuesOfAllKinds() throws {
    let value = try read(#" { "a": [1, -2.5e1, true, false, null], "b": "x", "c": {} } "#)
    #expect(
      value
        == .object([
          JSONMember("a", .array([.number(1), .number(-25), .boolean(true), .boolean(false), .null])),
          JSONMember("b", .string("x")), JSONMember("c", .object([])),
        ]))
    #expect(value["b"] == .string("x"))
    #expect(value["d"] == nil)
  }

  @Test(arguments: [
    (#""a\"\\\/\b\f\n\r\té€😀""#, "a\"\\/\u{8}\u{c}\n\r\té€😀"),
    (#""\u0000""#, "\0"), (#""\uD83D\uDE00""#, "😀"), (#""😀""#, "😀"), (#""""#, ""),
  ]) func strings(_ json: String, _ text: String) throws {
    #expect(try read(json) == .string(text))
  }

  @Test(arguments: [
    "", " ", "tru", "nul", "True", "01", "-", "1.", ".5", "1e", "+1", "0x1", "NaN", "Infinity", "'a'", "\"a",
    "\"a\nb\"", #""\x""#, #""\u12""#, #""\u12G4""#, "[1,]", "[,1]", "[1 2]", "[", "{", "{\"a\"}", "{\"a\":}",
    "{\"a\":1,}", "{a:1}", "{1:1}", "[1]]", "1 2", "{}{}", "// a\n1", "\u{feff}1", "[1;2]",
  ]) func refusals(_ json: String) {
    let error = #expect(throws: JSONError.self) { try read(json) }
    #expect(error?.reason == .malformed)
  }

  @Test(arguments: [#""\uD83D""#, #""\uDE00""#, #""\uD83Dx""#, #""\uD83D\u0041""#])
  func halvesOfPairsAreRefused(_ json: String) {
    #expect(throws: JSONError.self) { try read(json) }
  }

  @Test(
    arguments: [
      [0x22, 0xc3, 0x22], [0x22, 0xc0, 0xaf, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0xff, 0x22],
      [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], [0x22, 0x5c, 0x6e, 0xc3, 0x22],
    ] as [[UInt8]]) func onlyUTF8IsRead(_ bytes: [UInt8])
  {
    let error = #expect(throws: JSONError.self) { try JSONValue(reading: bytes) }
    #expect(error?.reason == .encoding)
  }

  @Test func namesAreThereOnce() {
    let error = #expect(throws: JSONError.self) { try read(#"{"a":1,"b":2,"a":3}"#) }
    #expect(error == JSONError(.duplicateName, at: 13))
    #expect(throws: Never.self) { try read(#"{"a":{"a":1},"b":{"a":1}}"#) }
  }

  @Test func depthIsBounded() throws {
    let deepest = String(repeating: "[", count: 8) + String(repeating: "]", count: 8)
    #expect(throws: Never.self) { try read(deepest) }
    let error = #expect(throws: JSONError.self) { try read("[\(deepest)]") }
    #expect(error?.reason == .tooLarge)
    let objects = String(repeating: "{\"a\":", count: 9) + "1" + String(repeating: "}", count: 9)
    #expect(throws: JSONError.self) { try read(objects) }
  }

  @Test func sizesAreBounded() {
    #expect(throws: JSONError(.tooLarge, at: 4)) { try read("12345", limits: JSONLimits(bytes: 4)) }
    #expect(throws: JSONError.self) { try read("[1,2,3]", limits: JSONLimits(values: 3)) }
    #expect(throws: Never.self) { try read("[1,2]", limits: JSONLimits(values: 3)) }
    #expect(throws: JSONError.self) { try read("1e999") }
    #expect(throws: JSONError.self) { try read(String(repeating: "1", count: 65)) }
  }

  @Test func textIsSafeToCompare() throws {
    let marks = String(repeating: "\u{301}", count: 100)
    guard case .string(let text) = try read("\"a\(marks)\"") else { return #expect(Bool(false)) }
    #expect(text.unicodeScalars.contains("\u{34f}"))
  }
}
