import Testing
import Text

@Suite struct StreamSafeTextTests {
  private func isSafe(_ text: String) -> Bool { text.utf8.elementsEqual(text.streamSafe.utf8) }

  @Test(arguments: [
    "", "plain <text> & more", "Dvo\u{0159}\u{00e1}k", "Dvor\u{030c}a\u{0301}k", "\u{0e17}\u{0e35}\u{0e48}",
    "\u{d55c}\u{ae00}", "\u{1112}\u{1161}\u{11ab}", "音楽", "👨\u{200d}👩\u{200d}👧 🇩🇪",
    "\u{0915}\u{094d}\u{0937}\u{093f}",
    "a" + String(repeating: "\u{0301}", count: 30) + "b" + String(repeating: "\u{0301}", count: 30),
  ]) func whatPeopleWriteStaysAsItIs(text: String) {
    #expect(isSafe(text))
  }

  @Test(arguments: ["\u{0301}\u{0323}", "\u{1161}", "\u{09be}", "\u{20dd}"])
  func noLetterHasMoreThanThirtyMarks(mark: String) {
    let text = "a" + String(repeating: mark, count: 500) + "b"
    let safe = text.streamSafe
    let runs = safe.unicodeScalars.split(separator: "\u{034f}")
    #expect(runs.count > 16)
    #expect(runs.allSatisfy { $0.count <= 31 })
    #expect(runs.joined().elementsEqual(text.unicodeScalars))
    #expect(isSafe(safe))
  }
}
