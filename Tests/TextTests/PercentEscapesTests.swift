import Foundation
import Testing
import Text

@Suite struct PercentEscapesTests {
  /// The same as an encoder that others wrote.
  @Test func agreesWithFoundation() {
    var plain = CharacterSet(charactersIn: "-._~")
    plain.insert(charactersIn: "a"..."z")
    plain.insert(charactersIn: "A"..."Z")
    plain.insert(charactersIn: "0"..."9")
    for text in ["", "abc-._~09AZ", "a b/ü&=?#%+\u{0}\u{7f}", "日本 🎵", "e\u{301}"] {
      #expect(PercentEscapes.encoded(text) == text.addingPercentEncoding(withAllowedCharacters: plain))
      #expect(PercentEscapes.decoded(PercentEscapes.encoded(text)[...]) == text)
    }
  }

  @Test func aPlusIsASpaceInQueriesOnly() {
    #expect(PercentEscapes.decoded("a+b%2b", plusIsSpace: true) == "a b+")
    #expect(PercentEscapes.decoded("a+b%2B") == "a+b+")
  }

  @Test(arguments: ["%", "%4", "%g0", "%0g", "%+1", "a%", "%ff", "%c3", "%ed%a0%80"])
  func whatIsBrokenIsRefused(text: String) { #expect(PercentEscapes.decoded(text[...]) == nil) }
}
