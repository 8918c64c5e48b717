import Page
import Testing

/// What pages of other sites may make a browser send.
@Suite struct CrossSiteTests {
  private static let change = #"{"volume": 10}"#

  private func patch(_ fields: (String, String)..., body: String? = change) async throws -> APIRig.Reply {
    try await APIRig().ask("PATCH", "/api/v1/player", body, fields: fields)
  }

  @Test(arguments: [
    "null", "http://evil.example", "http://192.0.2.7", "http://192.0.2.7:49495", "http://192.0.2.70:49494",
    "192.0.2.7:49494", "ftp://192.0.2.7:49494", "http://192.0.2.7:49494.evil.example", "http://", "",
    "http://evil.example@192.0.2.7:49494",
  ]) func foreignOriginsAreRefused(_ origin: String) async throws {
    let reply = try await patch(("origin", origin))
    #expect(reply.status == 403)
    #expect(reply.type == "foreign-origin")
  }

  @Test(arguments: ["http://192.0.2.7:49494", "HTTPS://192.0.2.7:49494"])
  func ourOwnPageMayControl(_ origin: String) async throws {
    #expect(try await patch(("origin", origin)).status == 204)
  }

  @Test func eachOriginCounts() async throws {
    #expect(try await patch(("origin", "http://192.0.2.7:49494"), ("origin", "null")).status == 403)
  }

  @Test(arguments: [("same-origin", 204), ("none", 204), ("cross-site", 403), ("same-site", 403)])
  func browsersThatSayMoreAreBelieved(_ site: String, _ status: Int) async throws {
    #expect(try await patch(("sec-fetch-site", site)).status == status)
  }

  @Test(arguments: [
    "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "text/json", "",
  ])
  func onlyJSONIsTaken(_ type: String) async throws {
    let reply = try await patch(("content-type", type))
    #expect(reply.status == 415)
    #expect(reply.type == "not-json")
  }

  @Test func oneMediaTypeOnly() async throws {
    #expect(
      try await patch(("content-type", "application/json"), ("content-type", "text/plain")).status == 415)
    #expect(try await patch(("content-type", "Application/JSON; charset=utf-8")).status == 204)
  }

  @Test func commandsWithoutABodyTakeNone() async throws {
    let rig = try await APIRig()
    let reply = try await rig.ask(
      "POST", "/api/v1/player/stop", "x=1", fields: [("content-type", "application/x-www-form-urlencoded")])
    #expect(reply.status == 415)
    #expect(try await rig.ask("POST", "/api/v1/player/stop", fields: [("origin", "null")]).status == 403)
    #expect(try await rig.ask("DELETE", "/api/v1/queue", fields: [("origin", "http://evil")]).status == 403)
    #expect(try await rig.ask("POST", "/api/v1/player/stop").status == 204)
  }

  /// A form without fields has a type, but nothing in its body.
  @Test func anEmptyFormIsAFormToo() async throws {
    let rig = try await APIRig()
    for type in ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"] {
      for body in ["", nil] {
        let reply = try await rig.ask("POST", "/api/v1/player/stop", body, fields: [("content-type", type)])
        #expect(reply.status == 415, "\(type)")
      }
    }
    #expect(try await rig.ask("POST", "/api/v1/player/stop", "").status == 204)
  }

  @Test func whoMayOnlyLookChangesNothing() async throws {
    let rig = try await APIRig(access: .view)
    let reply = try await rig.ask("PATCH", "/api/v1/player", Self.change)
    #expect(reply.status == 403)
    #expect(reply.type == "read-only")
    #expect(try await rig.ask("GET", "/api/v1/player").json?["access"] == .string("view"))
    #expect(await rig.state().volume.step(of: .master) == 50)
  }

  @Test func whatIsOffIsntThere() async throws {
    let rig = try await APIRig(access: .off)
    #expect(try await rig.ask("GET", "/api/v1/player").status == 404)
    #expect(rig.responder.methods(at: "/api") == nil)
  }

  @Test func thereIsNoPreflight() async throws {
    let rig = try await APIRig()
    #expect(rig.responder.methods(at: "/api/v1/player") == ["GET", "PATCH", "HEAD"])
    #expect(try await rig.ask("OPTIONS", "/api/v1/player").status == 404, "the server makes 405 of it")
  }

  @Test(arguments: ["/api/v1/player", "/api/v1/queue/tracks", "/api/openapi.json"])
  func everyAnswerForbidsWhatAPageNeedsNot(_ path: String) async throws {
    let reply = try await APIRig().ask("GET", path)
    #expect(reply["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self';") == true)
    #expect(reply["x-content-type-options"] == "nosniff")
    #expect(reply["referrer-policy"] == "no-referrer")
    #expect(reply["cross-origin-resource-policy"] == "same-origin")
    #expect(reply["access-control-allow-origin"] == nil)
  }
}
