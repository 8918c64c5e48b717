import Testing

@testable import HTTP
@testable import Page

/// The header fields that protect a page.
@Suite struct PageFieldsTests {
  private func opener(_ fields: [String: String]) -> String? {
    PageFields.document(for: .to("/", fields)).first { $0.name == "CROSS-ORIGIN-OPENER-POLICY" }?.value
  }

  /// Whatever is loaded is ours, and nothing is written into the page but by its own scripts.
  @Test func thePolicyAllowsNothingButThisServer() {
    let rules = PageFields.contentSecurityPolicy.components(separatedBy: "; ")
    #expect(rules.first == "default-src 'none'")
    for rule in rules where rule.contains("-src ") {
      #expect(rule.hasSuffix(" 'self'") || rule == "default-src 'none'", "\(rule)")
    }
    for rule in [
      "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ] {
      #expect(rules.contains(rule))
    }
    #expect(!PageFields.contentSecurityPolicy.contains("unsafe"))
  }

  @Test func everyResponseHasEachFieldOnce() {
    let names = PageFields.security.map(\.name)
    #expect(
      names == [
        "CONTENT-SECURITY-POLICY", "X-CONTENT-TYPE-OPTIONS", "REFERRER-POLICY",
        "CROSS-ORIGIN-RESOURCE-POLICY",
      ])
    let document = PageFields.document(for: .to("/"), ancestors: ["http://192.0.2.7"])
    #expect(document.map(\.name) == names)
    #expect(document.dropFirst().map(\.value) == PageFields.security.dropFirst().map(\.value))
  }

  /// Elsewhere browsers would complain of it on the console.
  @Test func documentsAreKeptApartWhereBrowsersHeedThat() {
    #expect(opener(["sec-fetch-mode": "navigate"]) == "same-origin")
    #expect(opener([:]) == nil)
  }

  @Test func originsOfFramesReplaceNobody() {
    #expect(PageFields.policy(ancestors: []) == PageFields.contentSecurityPolicy)
    let policy = PageFields.policy(ancestors: ["http://192.0.2.7", "https://home.example"])
    #expect(policy.contains("; frame-ancestors http://192.0.2.7 https://home.example; "))
    #expect(!policy.contains("frame-ancestors 'none'"))
  }
}
