import Pins
import Testing

@testable import vireoctl

@Suite struct PinSlotsTests {
  private let slots = PinSlots(
    ids: [0, 7, 0, 9, 4],
    [
      PinList.Item(
        id: 7, mode: "url", uri: "url://stream?path=http%3A%2F%2Fs%2Fbird&version=1", title: "Bird"),
      PinList.Item(
        id: 9, mode: "server", uri: "server://object?udn=s&id=1&version=1", title: "Birds of Britain"),
      PinList.Item(id: 4, mode: "qobuz", uri: "qobuz://x", title: "Frog"),
    ])

  @Test func aPinIsNamedByNumberOrTitle() throws {
    #expect(try slots.pin(.text("2"), of: "it").item.id == 7)
    #expect(try slots.pin(.text("bird"), of: "it").number == 2)
    #expect(try slots.pin(.text("fr"), of: "it").number == 5)
    for text in ["1", "0", "6", "x"] {
      #expect(throws: Failure.self, "\(text)") { try slots.pin(.text(text), of: "it") }
    }
    #expect(throws: Failure.self) { try slots.pin(.text("bir"), of: "it") }
  }

  /// What deletes must never take a pin whose title only begins so.
  @Test func aPinIsClearedByItsWholeTitleOnly() throws {
    #expect(try slots.pin(.wholeText("2"), of: "it").item.id == 7)
    #expect(try slots.pin(.wholeText("bird"), of: "it").item.id == 7)
    #expect(try slots.pin(.wholeText("birds of britain"), of: "it").item.id == 9)
    let refused = #expect(throws: Failure.self) { try slots.pin(.wholeText("fr"), of: "it") }
    #expect(refused?.status == .noInput && refused?.hints == ["5  Frog"], "says what was meant perhaps")
    #expect(refused?.message.contains("whole title") == true)
    let unknown = #expect(throws: Failure.self) { try slots.pin(.wholeText("x"), of: "it") }
    #expect(unknown?.hints == [] && unknown?.message == "it has no pin \"x\"")
    #expect(throws: Failure.self) { try slots.pin(.wholeText(""), of: "it") }
  }

  @Test func aPinIsNamedByItsID() throws {
    #expect(try slots.pin(.id(4), of: "it").number == 5)
    for id: UInt32 in [0, 2, .max] {
      #expect(throws: Failure.self, "\(id)") { try slots.pin(.id(id), of: "it") }
    }
  }

  @Test func aNumberIsNeverTheBeginningOfATitle() throws {
    let slots = PinSlots(
      ids: [3, 4], [PinList.Item(id: 3, title: "Bird"), PinList.Item(id: 4, title: "77 FM")])
    #expect(throws: Failure.self) { try slots.pin(.text("7"), of: "it") }
    #expect(try slots.pin(.text("77 "), of: "it").number == 2)
  }

  @Test func slotsAreChecked() throws {
    #expect(try slots.index(1) == 0)
    #expect(try slots.index(5) == 4)
    #expect(throws: Failure.self) { try slots.index(0) }
    #expect(throws: Failure.self) { try slots.index(6) }
  }

  @Test(arguments: [Int.min, Int.min + 1, -1, Int(UInt32.max), Int.max])
  func extremeNumbersNameNoSlot(number: Int) {
    #expect(throws: Failure.self) { try slots.index(number) }
    #expect(throws: Failure.self) { try slots.pin(.text("\(number)"), of: "it") }
  }

  @Test func theListHasWhatIsThere() {
    let lines = slots.report.lines(.plain)
    #expect(lines.count == 3)
    #expect(lines[0].contains("http://s/bird"))
    #expect(lines[2].contains("qobuz://x"))
  }
}
