import Pins
import Testing

@Suite struct PinListTests {
  @Test func readsIDs() {
    #expect(PinList.ids(in: "[12,0,13]") == [12, 0, 13])
    #expect(PinList.ids(in: " [ ] ") == [])
    for text in ["", "[", "12", "[1,]", "[1.5]", "[-1]", "[4294967296]", "[\"1\"]", "[[1]]", "{}", "[1] 2"] {
      #expect(PinList.ids(in: text) == nil, "\(text)")
    }
    #expect(PinList.ids(in: "[" + Array(repeating: "1", count: 64).joined(separator: ",") + "]")?.count == 64)
    #expect(PinList.ids(in: "[" + Array(repeating: "1", count: 65).joined(separator: ",") + "]") == nil)
  }

  @Test func writesBlankObjectsForEmptySlots() throws {
    let pin = try Pin(
      .preset(3), title: "a \"b\"", detail: "c", picture: "http://192.0.2.1/p.png", isShuffled: true)
    #expect(
      PinList.text([.init(id: 7, pin: pin), nil])
        == #"[{"id":7,"mode":"radio","type":"preset","uri":"radio://preset?id=3&version=1","title":"a \"b\"","description":"c","artworkUri":"http://192.0.2.1/p.png","shuffle":true},"#
        + #"{"id":0,"mode":"","type":"","uri":"","title":"","description":"","artworkUri":"","shuffle":false}]"#
    )
    let items = try #require(PinList.items(in: PinList.text([.init(id: 7, pin: pin), nil])))
    #expect(items.map(\.id) == [7, 0])
    #expect(items[0].title == pin.title && items[0].isShuffled && items[0].uri == pin.uri)
  }

  @Test func readsOthersLists() {
    #expect(PinList.items(in: "[{\"id\":1,\"extra\":[1]},{}]")?.map(\.id) == [1, 0])
    #expect(PinList.items(in: "{}") == nil)
    #expect(PinList.modes(in: "[\"url\",\"qobuz\"]") == ["url", "qobuz"])
    #expect(PinList.text(modes: ["url", "radio"]) == "[\"url\",\"radio\"]")
  }

  @Test func readsNoSlotOfAnUnknownMode() {
    #expect(PinList.slot(in: #"{"id":1,"mode":"qobuz","uri":"qobuz://a?version=1"}"#) == nil)
    #expect(PinList.slot(in: "nonsense") == nil)
  }
}
