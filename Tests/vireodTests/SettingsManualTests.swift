import Testing

@testable import vireod

@Suite struct SettingsManualTests {
  @Test func theManualHoldsTheTable() throws {
    try expectFile("Config/vireo.toml.5", contains: SettingsManual.page())
  }

  @Test func everyKeyIsInIt() {
    let page = SettingsManual.page()
    for key in SettingsSchema.keys { #expect(page.contains("\n.It Ic \(key.name)\n")) }
    // Lines of requests are ours alone; nothing of the table may look like one.
    let requests = Set(page.split(separator: "\n").filter { $0.hasPrefix(".") }.map { $0.prefix(3) })
    #expect(
      requests.isSubset(of: [
        ".\\\"", ".Dd", ".Dt", ".Os", ".Sh", ".Nm", ".Nd", ".Pa", ".Xr", ".Li", ".Pp", ".Dl", ".Pq", ".Bl",
        ".It",
        ".br", ".El",
      ]))
  }
}
