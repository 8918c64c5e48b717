import Pins
import Player
import Testing

@testable import Services

@Suite struct PinsTests {
  private let speaker = Speaker()
  private static let station = "url://stream?path=http%3A%2F%2F192.0.2.1%2Fbird&version=1"

  private func set(
    _ index: Int, mode: String = "url", type: String = "stream", uri: String = station,
    title: String = "Bird",
    shuffle: Bool = false
  ) throws -> Int? {
    try speaker.fault(
      speaker.pins, "SetDevice",
      [
        "Index": "\(index)", "Mode": mode, "Type": type, "Uri": uri, "Title": title,
        "Description": "A station",
        "ArtworkUri": "http://192.0.2.1/b.png", "Shuffle": shuffle ? "1" : "0",
      ])
  }

  private var ids: [UInt32] {
    get throws { PinList.ids(in: try speaker.call(speaker.pins, "GetIdArray")["IdArray"] ?? "") ?? [] }
  }

  private func read(_ ids: String) throws -> String? {
    try speaker.call(speaker.pins, "ReadList", ["Ids": ids])["List"]
  }

  @Test func whatItSaysOfItself() throws {
    func get(_ name: String) throws -> String? { try speaker.call(speaker.pins, "Get\(name)")[name] }
    #expect(try get("DeviceMax") == "12")
    #expect(try get("AccountMax") == "0")
    #expect(try get("Modes") == #"["transport","url","radio","playlist","server"]"#)
    #expect(try get("IdArray") == "[0,0,0,0,0,0,0,0,0,0,0,0]")
    #expect(try get("CloudConnected") == "0")
    #expect(
      speaker.pins.description.variables.first { $0.name == "IdArray" }?.moderation == .milliseconds(50))
    #expect(try speaker.call(speaker.product, "Attributes")["Value"]?.contains("Pins") == true)
  }

  @Test func pinsAreKeptAndRead() throws {
    #expect(try set(2, shuffle: true) == nil)
    #expect(try ids == [0, 0, 1] + Array(repeating: 0, count: 9))
    #expect(speaker.evented(speaker.pins, "IdArray") == PinList.text(ids: try ids))
    // By place, blanks too: Home Assistant goes by it.
    let items = try #require(PinList.items(in: try read(PinList.text(ids: try ids)) ?? ""))
    #expect(items.count == 12)
    #expect(
      items[2]
        == PinList.Item(
          id: 1, mode: "url", type: "stream", uri: Self.station, title: "Bird", detail: "A station",
          picture: "http://192.0.2.1/b.png", isShuffled: true))
    #expect(items[0] == PinList.Item(id: 0))
    #expect(try read("[]") == "[]")
  }

  @Test func idsChangeWithTheContents() throws {
    #expect(try set(0) == nil)
    #expect(try set(0, title: "Other") == nil)
    #expect(try ids[0] == 2)
    #expect(try speaker.fault(speaker.pins, "Swap", ["Index1": "0", "Index2": "11"]) == nil)
    #expect(try ids == Array(repeating: 0, count: 11) + [2])
    #expect(try speaker.fault(speaker.pins, "Clear", ["Id": "0"]) == nil)
    #expect(try ids[11] == 2)
    #expect(try speaker.fault(speaker.pins, "Clear", ["Id": "2"]) == nil)
    #expect(try ids == Array(repeating: 0, count: 12))
  }

  @Test func faults() throws {
    let pins = speaker.pins
    #expect(try set(12) == 801)
    #expect(try set(0, mode: "qobuz") == 803)
    #expect(try set(0, mode: "qobuz", uri: "") == 803)
    #expect(try set(0, uri: "") == 806)
    #expect(try set(0, uri: "url://stream?path=a&version=2") == 806)
    #expect(try speaker.fault(pins, "Swap", ["Index1": "0", "Index2": "12"]) == 801)
    #expect(try speaker.fault(pins, "Clear", ["Id": "1"]) == 802)
    #expect(try speaker.fault(pins, "ReadList", ["Ids": "[1]"]) == 802)
    #expect(try speaker.fault(pins, "ReadList", ["Ids": "1 2"]) == 802)
    #expect(try speaker.fault(pins, "InvokeId", ["Id": "1"]) == 802)
    #expect(try speaker.fault(pins, "InvokeId", ["Id": "0"]) == 802)
    #expect(try speaker.fault(pins, "InvokeIndex", ["Index": "12"]) == 801)
    #expect(try speaker.fault(pins, "InvokeIndex", ["Index": "0"]) == 805)
    func uri(_ mode: String, _ uri: String) throws -> Int? {
      try speaker.fault(pins, "InvokeUri", ["Mode": mode, "Type": "x", "Uri": uri, "Shuffle": "0"])
    }
    #expect(try uri("qobuz", "qobuz://album?id=1&version=1") == 803)
    #expect(try uri("url", "") == 806)
    #expect(try uri("url", "url://other?path=a&version=1") == 806)
    #expect(
      try speaker.fault(
        pins, "SetAccount",
        [
          "Index": "0", "Mode": "url", "Type": "stream", "Uri": Self.station, "Title": "", "Description": "",
          "ArtworkUri": "", "Shuffle": "0",
        ]) == 801)
    #expect(speaker.player.currentState.pins.isEmpty)
  }

  @Test func extremeNumbersAreRefused() throws {
    let (pins, most) = (speaker.pins, "\(UInt32.max)")
    #expect(try set(Int(UInt32.max)) == 801)
    #expect(try speaker.fault(pins, "InvokeIndex", ["Index": most]) == 801)
    #expect(try speaker.fault(pins, "Swap", ["Index1": most, "Index2": most]) == 801)
    #expect(try speaker.fault(pins, "Clear", ["Id": most]) == 802)
    #expect(try speaker.fault(pins, "InvokeId", ["Id": most]) == 802)
    #expect(try speaker.fault(pins, "ReadList", ["Ids": "[\(most)]"]) == 802)
    // What is no number of this type never gets to the service.
    for index in [Int.min, -1, Int(UInt32.max) + 1, Int.max] {
      #expect(try set(index) != nil, "\(index)")
      #expect(try speaker.fault(pins, "InvokeIndex", ["Index": "\(index)"]) != nil, "\(index)")
    }
    #expect(speaker.player.currentState.pins.isEmpty)
  }

  @Test func invokingAsksTheDaemon() throws {
    #expect(try set(5) == nil)
    #expect(try speaker.fault(speaker.pins, "InvokeIndex", ["Index": "5"]) == nil)
    let pin = try #require(speaker.player.currentState.pins.slots[5]?.pin)
    #expect(speaker.player.currentState.pinPlay?.pin == pin)
    #expect(speaker.player.currentState.pinPlay?.progress == .finding)
    #expect(try speaker.fault(speaker.pins, "InvokeId", ["Id": "1"]) == nil)
    let found = speaker.effects.filter { if case .findPin = $0 { true } else { false } }
    #expect(found.count == 2 && speaker.effects.contains(.stopFindingPin))
  }

  @Test func whatPinsStandFor() throws {
    func finding(_ uri: PinURI) throws -> PinFinding? {
      PinFinding(uri, of: try Pin(uri, title: "Bird", picture: "http://192.0.2.1/b.png"))
    }
    guard case .station(let media) = try finding(.stream("http://192.0.2.1/bird")) else {
      Issue.record("no station")
      return
    }
    #expect(media == Media(station: "http://192.0.2.1/bird", name: "Bird", image: "http://192.0.2.1/b.png"))
    #expect(try finding(.preset(7)) == .preset(7))
    #expect(try finding(.source("UPnP AV")) == .source(.upnpAV))
    guard case .nothing = try finding(.source("Bluetooth")) else {
      Issue.record("an unknown source")
      return
    }
    #expect(try finding(.object(server: "a", id: "b")) == nil)
    #expect(try finding(.playlist("1")) == nil)
  }

  @Test func secretsInAnAddressAreNotShown() throws {
    let pin = try Pin(.stream("http://user:geheim@192.0.2.1/bird?token=abc123"), title: "Bird")
    #expect(!pin.shownAddress.contains("geheim"))
    #expect(pin.shownAddress.contains("192.0.2.1"))
  }
}
