import Testing

@testable import UPnP

@Suite struct SIDFormatTests {
  private let numbered = SIDFormat.numbered(prefix: "uuid:RINCON_0123456789AB01400_sub")

  @Test func whatIsWrittenIsRead() {
    for format in [.uuid, numbered] {
      for _ in 0..<100 {
        let sid = format.makeSID()
        #expect(format.sid(format.text(sid)) == sid)
      }
    }
  }

  @Test func numbersHaveTenDigits() {
    #expect(
      numbered.text(SID(high: 0, low: 1)) == "uuid:RINCON_0123456789AB01400_sub0000000001")
    #expect(
      numbered.text(SID(high: 0, low: 9_999_999_999)) == "uuid:RINCON_0123456789AB01400_sub9999999999")
    #expect(Set((0..<1000).map { _ in numbered.makeSID() }).count > 990, "random")
  }

  @Test(arguments: [
    "", "uuid:RINCON_0123456789AB01400_sub", "uuid:RINCON_0123456789AB01400_sub000000001",
    "uuid:RINCON_0123456789AB01400_sub00000000001", "uuid:RINCON_0123456789AB01400_sub000000000x",
    "uuid:RINCON_0123456789AB01400_sub+000000001", "uuid:RINCON_FF23456789AB01400_sub0000000001",
    "uuid:11111111-2222-4333-8444-555555555555",
  ])
  func otherStringsAreNone(text: String) { #expect(numbered.sid(text) == nil) }

  @Test func theUsualFormatIsUnchanged() {
    let text = "uuid:11111111-2222-4333-8444-555555555555"
    #expect(SIDFormat.uuid.sid(text).map(SIDFormat.uuid.text) == text)
    #expect(SIDFormat.uuid.sid(numbered.text(SID(high: 0, low: 1))) == nil)
  }
}
