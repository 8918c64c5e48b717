import Testing

@testable import Services

@Suite struct IdArrayTests {
  @Test func knownBytes() {
    #expect(IdArray.text([UInt32]()) == "")
    #expect(IdArray.text([1]) == "AAAAAQ==")
    #expect(IdArray.text([1, 2]) == "AAAAAQAAAAI=")
    #expect(IdArray.text([1, 2, 3]) == "AAAAAQAAAAIAAAAD")
    #expect(IdArray.text([0xfedc_ba98]) == "/ty6mA==")
  }

  @Test func emptySlotsAreZero() {
    #expect(IdArray.text([7, 0, 0]) == "AAAABwAAAAAAAAAA")
  }

  @Test(arguments: [
    ("1 2 3", [1, 2, 3]), ("1,2,,3", [1, 2, 3]), ("  4   5\n6\t", [4, 5, 6]), ("", []), ("   ", []),
    ("-1 7 abc 8 1a 9.5", [7, 8]), ("4294967295 4294967296 99999999999999999999999999", [4_294_967_295]),
    ("3 1 3 2 1", [3, 1, 2]), ("0", [0]), ("007", [7]), ("+5", []), ("1;2", [1, 2]),
  ])
  func readsWhatControlPointsSend(_ text: String, _ ids: [UInt32]) {
    #expect(IdArray.ids(in: text, limit: 100) == ids)
  }

  @Test func theNumberOfIdsIsBounded() {
    let text = (1...50).map(String.init).joined(separator: " ")
    #expect(IdArray.ids(in: text, limit: 10) == Array(1...10))
    #expect(IdArray.ids(in: text, limit: 0) == [])
  }
}
