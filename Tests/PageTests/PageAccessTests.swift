import Page
import Testing

@Suite struct PageAccessTests {
  @Test func itIsWrittenAsInTheConfiguration() {
    #expect(PageAccess.allCases.map(\.rawValue) == ["control", "view", "off"])
  }
}
