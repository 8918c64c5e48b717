import Testing

@testable import UPnP

@Suite struct WireValueTests {
  private enum Mode: String, WireValue {
    case on = "ON"
    case off = "OFF"
  }

  private func isReadBack<Value: WireValue & Equatable>(_ value: Value) -> Bool {
    Value(wire: value.wire) == value
  }

  @Test func whatIsWrittenIsRead() {
    #expect([true, false].allSatisfy(isReadBack))
    #expect([UInt8.min, 7, .max].allSatisfy(isReadBack))
    #expect([UInt16.min, 7, .max].allSatisfy(isReadBack))
    #expect([UInt32.min, 7, .max].allSatisfy(isReadBack))
    #expect([Int8.min, 0, .max].allSatisfy(isReadBack))
    #expect([Int16.min, 0, .max].allSatisfy(isReadBack))
    #expect([Int32.min, 0, .max].allSatisfy(isReadBack))
    #expect(["", " a ", "\u{e9}<&"].allSatisfy(isReadBack))
    #expect([[], [0], [1, 2], [255, 254, 253], [UInt8](0...255)].allSatisfy(isReadBack))
    #expect([Mode.on, .off].allSatisfy(isReadBack))
  }

  @Test(arguments: [
    ("1", true), ("true", true), ("YES", true), (" 1\n", true), ("2", true), ("-1", true), ("0", false),
    ("False", false), ("no", false), ("", nil), ("on", nil), ("1.0", nil),
  ])
  func booleans(text: String, value: Bool?) { #expect(Bool(wire: text) == value) }

  @Test(arguments: [
    ("5", 5), (" 5 ", 5), ("+5", 5), ("005", 5), ("\t5\r\n", 5), ("256", nil), ("-1", nil), ("", nil),
    ("5.0", nil), ("0x5", nil), ("5 6", nil),
  ])
  func numbers(text: String, value: UInt8?) { #expect(UInt8(wire: text) == value) }

  @Test func wordsAreThoseOfTheList() {
    #expect(Mode(wire: "ON") == .on && Mode(wire: "on") == nil && Mode(wire: "VENDOR") == nil)
  }
}
