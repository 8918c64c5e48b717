import Network
import Testing

@testable import Page

@Suite struct NoServerReasonTests {
  private func interface(_ name: String, isRunning: Bool = true, guests: Bool = false) -> NetworkInterface {
    NetworkInterface(
      index: name.utf8.count, name: name,
      addresses: [.init(address: IPAddress("192.0.2.1") ?? .v4(0), prefixLength: 24)], isRunning: isRunning,
      isLoopback: false, leadsToGuestsOnly: guests)
  }

  private func text(
    _ interfaces: [NetworkInterface], named: [String] = [], searched: [CInt] = [0], others: Int = 0,
    firewalls: [String] = []
  ) -> String {
    let addresses = searched.enumerated().map { (IPAddress.v4(UInt32($0.offset + 1)), $0.element) }
    return NoServerReason(
      interfaces: interfaces, selection: InterfaceSelection(names: named),
      searched: Dictionary(addresses) { first, _ in first }, others: others, firewalls: firewalls
    ).text
  }

  @Test func withoutANetwork() {
    #expect(text([], searched: []).contains("has no network"))
    #expect(text([interface("eth0", isRunning: false)], searched: []).contains("has no network"))
    #expect(
      text([interface("eth0", isRunning: false)], named: ["eth0"], searched: []).contains("uses only eth0"))
    let guests = text([interface("docker0", guests: true)], searched: [])
    #expect(guests.contains("Only docker0") && guests.contains("[network] interfaces"))
  }

  @Test func withoutASearch() {
    #expect(text([interface("eth0")], searched: [1, 13], firewalls: ["ufw"]).contains("own firewall (ufw)"))
    #expect(text([interface("eth0")], searched: [101]).contains("No search could be sent"))
    // One that was sent is enough.
    #expect(text([interface("eth0")], searched: [101, 0]).contains("Nothing answers"))
  }

  @Test func withoutAnAnswer() {
    let nothing = text([interface("wlan0")], firewalls: ["firewalld"])
    for words in ["wlan0 192.0.2.1", "guest Wi-Fi", "port 1900", "(firewalld)"] {
      #expect(nothing.contains(words), "\(words)")
    }
    let others = text([interface("wlan0")], others: 2)
    #expect(others.contains("Other devices answer") && others.contains("DLNA"))
  }

  @Test func itIsAlwaysShort() {
    let many = (0..<50).map { interface("interface\(String(repeating: "0", count: $0))") }
    #expect(text(many, named: many.map(\.name)).utf8.count < 2000)
  }
}
