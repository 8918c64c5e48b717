import Foundation
import Testing
import Text

@Suite struct Base64Tests {
  /// The same as an encoder that others wrote.
  @Test(arguments: 0..<70)
  func agreesWithFoundation(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 200) }
    #expect(Base64.bytes(Base64.text(bytes)) == bytes)
    #expect(Base64.text(bytes) == Data(bytes).base64EncodedString())
  }

  @Test(arguments: [
    ("", []), ("AAAA AQ==\r\n", [0, 0, 0, 1]), ("AAAAAQ", [0, 0, 0, 1]),
    ("/ty6mA", [0xfe, 0xdc, 0xba, 0x98]),
    ("AAA", [0, 0]),
  ])
  func oddFormsAreRead(text: String, bytes: [UInt8]) { #expect(Base64.bytes(text) == bytes) }

  @Test(arguments: ["A", "AAAAA", "A*==", "AA==AA", "-_-_", "é"])
  func whatIsNotBase64IsRefused(text: String) { #expect(Base64.bytes(text) == nil) }
}
