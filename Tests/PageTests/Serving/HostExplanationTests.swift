import Testing

@testable import HTTP
@testable import Network
@testable import Page

/// What a browser is told that came by a name that isn't ours.
@Suite struct HostExplanationTests {
  private func response(_ fields: [String: String] = [:], at address: String = "192.0.2.7") throws
    -> HTTPResponse
  {
    let address = try #require(IPAddress(address))
    let peer = Peer(remote: address, local: address, localPort: 8080)
    return HostExplanation.response(to: .to("/", fields), from: peer)
  }

  @Test func itLinksToTheAddressThatWasReached() throws {
    #expect(try response().status == .forbidden)
    #expect(try response().text.contains("<a href=\"http://192.0.2.7:8080/\">"))
    #expect(try response(at: "2001:db8::7").text.contains("<a href=\"http://[2001:db8::7]:8080/\">"))
  }

  /// The name is a stranger's choice.
  @Test func nothingOfTheRequestIsInIt() throws {
    let host = "evil.example\"><script>"
    #expect(try response(["host": host, "referer": host, "user-agent": host]).text == response().text)
  }

  @Test func itIsNeitherKeptNorFramed() throws {
    let response = try response(["sec-fetch-mode": "navigate"])
    #expect(response.contentType == "text/html; charset=utf-8")
    #expect(response.field("CACHE-CONTROL") == "no-store")
    #expect(response.field("CONTENT-SECURITY-POLICY") == PageFields.contentSecurityPolicy)
    #expect(response.field("CROSS-ORIGIN-OPENER-POLICY") == "same-origin")
  }
}
