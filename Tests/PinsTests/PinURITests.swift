import Pins
import SeededRandom
import Testing

@Suite struct PinURITests {
  @Test func writesTheForms() {
    #expect(
      PinURI.stream("http://192.0.2.1/a b?c=1&d=é").text
        == "url://stream?path=http%3A%2F%2F192.0.2.1%2Fa%20b%3Fc%3D1%26d%3D%C3%A9&version=1")
    #expect(PinURI.preset(7).text == "radio://preset?id=7&version=1")
    #expect(PinURI.source("UPnP AV").text == "transport://source?id=UPnP%20AV&version=1")
    #expect(
      PinURI.object(server: "4d69-01", id: "64$2").text == "server://object?udn=4d69-01&id=64%242&version=1")
    #expect(PinURI.playlist("12").text == "playlist://stored?id=12&version=1")
  }

  @Test func readsWhatItWrites() throws {
    var random = SeededRandom(seed: 11)
    let letters: [Character] = [
      "a", "Z", "0", " ", "&", "=", "?", "%", "+", "/", ":", "é", "日", "🎵", "\"", "#",
    ]
    func text() -> String {
      String(
        (0..<Int.random(in: 1...20, using: &random)).map { _ in letters.randomElement(using: &random) ?? "x" }
      )
    }
    for _ in 0..<500 {
      let uris: [PinURI] = [
        .stream(text()), .preset(.random(in: 1 ... .max, using: &random)), .source(text()),
        .object(server: text(), id: text()), .playlist(text()),
      ]
      for uri in uris {
        guard uri.text.utf8.count <= 512 else { continue }
        #expect(try PinURI(uri.text, mode: uri.mode) == uri)
      }
    }
  }

  @Test func takesTheUDNWithAndWithoutItsPrefix() throws {
    let uri = try PinURI("server://object?version=1&udn=uuid%3Aabc&id=0", mode: "server")
    #expect(uri == .object(server: "abc", id: "0"))
    let twice = try PinURI("server://object?version=1&udn=UUID%3Auuid%3Aabc&id=0", mode: "server")
    #expect(twice == uri)
    #expect(throws: PinError.uriNotSupported) {
      try PinURI("server://object?version=1&udn=uuid%3A&id=0", mode: "server")
    }
  }

  @Test(arguments: [
    "", "url", "url:", "url://", "url://stream", "url://stream?path=a", "url://stream?path=a&version=2",
    "url://stream?path=&version=1", "url://stream?version=1", "url://other?path=a&version=1",
    "radio://stream?path=a&version=1", "url://stream?path=%zz&version=1", "url://stream?path=%ff&version=1",
    "url://stream?path=a&version=%31%31",
  ])
  func refusesOthers(text: String) {
    #expect(throws: PinError.uriNotSupported) { try PinURI(text, mode: "url") }
  }

  @Test(arguments: ["0", "-1", "4294967296", "x", "1.5"])
  func refusesNumbersOfNoPreset(id: String) {
    #expect(throws: PinError.uriNotSupported) {
      try PinURI("radio://preset?id=\(id)&version=1", mode: "radio")
    }
  }

  @Test func knowsItsModes() {
    #expect(throws: PinError.modeNotSupported) { try PinURI("qobuz://album?id=1&version=1", mode: "qobuz") }
    let modes = [
      PinURI.stream("a"), .preset(1), .source("a"), .object(server: "a", id: "b"), .playlist("a"),
    ].map(\.mode)
    #expect(Set(modes) == Set(PinURI.modes))
  }
}
