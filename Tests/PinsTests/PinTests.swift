import Pins
import Testing

@Suite struct PinTests {
  private let uri = "url://stream?path=http%3A%2F%2F192.0.2.1%2F&version=1"

  @Test func checksInOrder() {
    func error(_ mode: String, _ uri: String) -> PinError? {
      do throws(PinError) {
        _ = try Pin(mode: mode, type: "stream", uri: uri, title: "")
        return nil
      } catch { return error }
    }
    #expect(error("qobuz", "") == .modeNotSupported)
    #expect(error("url", "") == .uriNotSupported)
    #expect(error("url", "url://stream?path=a") == .uriNotSupported)
    #expect(error("url", "url://stream?path=a&version=2") == .uriNotSupported)
    #expect(error("url", uri) == nil)
    // Kept as it is, whatever it is.
    #expect(error("radio", "tunein://x?version=1") == nil)
  }

  @Test func keepsTextsWithinTheirLengths() throws {
    let long = String(repeating: "é", count: 400)
    let pin = try Pin(
      mode: "url", type: "stream", uri: uri, title: "a" + long, detail: long + long,
      picture: "http://a/" + long)
    #expect(pin.title == "a" + String(repeating: "é", count: 63))
    #expect(pin.detail.utf8.count == 512)
    #expect(pin.picture.isEmpty)
    #expect(throws: PinError.uriNotSupported) {
      try Pin(mode: "url", type: String(repeating: "t", count: 33), uri: uri, title: "")
    }
    #expect(throws: PinError.uriNotSupported) {
      try Pin(.stream("http://192.0.2.1/" + long), title: "")
    }
  }

  @Test func cutsWholeCharacters() throws {
    let flags = String(repeating: "🇸🇪", count: 40)
    #expect(try Pin(.preset(1), title: flags).title == String(repeating: "🇸🇪", count: 16))
  }
}
