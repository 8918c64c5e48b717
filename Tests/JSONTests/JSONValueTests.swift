import JSON
import Testing

@Suite struct JSONValueTests {
  @Test func membersKeepTheirOrder() {
    let value = JSONValue.object([JSONMember("b", .null), JSONMember("a", .number(1))])
    #expect(value != .object([JSONMember("a", .number(1)), JSONMember("b", .null)]))
  }
}
