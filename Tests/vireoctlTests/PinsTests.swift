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
    #expect(try slots.pin("2", of: "it").item.id == 7)
    #expect(try slots.pin("bird", of: "it").number == 2)
    #expect(try slots.pin("fr", of: "it").number == 5)
    for text in ["1", "0", "6", "x"] {
      #expect(throws: Failure.self, "\(text)") { try slots.pin(text, of: "it") }
    }
    #expect(throws: Failure.self) { try slots.pin("bir", of: "it") }
  }

  @Test func slotsAreChecked() throws {
    #expect(try slots.index(1) == 0)
    #expect(try slots.index(5) == 4)
    #expect(throws: Failure.self) { try slots.index(0) }
    #expect(throws: Failure.self) { try slots.index(6) }
  }

  @Test func theListHasWhatIsThere() {
    let lines = slots.report.lines(.plain)
    #expect(lines.count == 3)
    #expect(lines[0].contains("http://s/bird"))
    #expect(lines[2].contains("qobuz://x"))
  }
}
