import Testing

@testable import Services

/// Titles and addresses of strangers in the log.
@Suite struct LogTextTests {
  @Test func nothingBeginsALineOfItsOwnOrMovesTheCursor() {
    let text = "a\r\n2026-01-01 error: b\u{1b}[2J\u{2028}c\u{202e}d\u{0}e"
    #expect(LogText.cleaned(text) == "a  2026-01-01 error: b [2J c d e")
  }

  @Test func theLengthIsBounded() {
    #expect(LogText.cleaned(String(repeating: "é", count: 1000)) == String(repeating: "é", count: 120) + "…")
    #expect(LogText.cleaned("short") == "short")
  }
}
