import Testing

@testable import XML

@Suite struct XMLTagScanTests {
  /// It mends each, where it may.
  @Test func theNumberOfWordsInATagIsBounded() {
    func isHarmless(_ text: String) -> Bool { Array(text.utf8).withUnsafeBytes(XMLTagScan.isHarmless) }
    let words = { (count: Int) in String(repeating: "w\n", count: count) }
    #expect(isHarmless("<A \(words(XMLTagScan.maximumWords - 1))/>\(words(10_000))"))
    #expect(!isHarmless("<A \(words(XMLTagScan.maximumWords))/>"))
    #expect(
      isHarmless("<A a='\(words(10_000))' b=\"\(words(10_000))\"\(String(repeating: " ", count: 10_000))/>"))
  }
}
