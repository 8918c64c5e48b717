import JSON
import Party
import Testing

@testable import Page
@testable import Player

/// A party by the API: a host and guests, on a player without sound.
@Suite struct PartyAPITests {
  /// A party and its guests.
  struct Evening {
    let rig: APIRig
    var code = ""

    init(_ mode: String = "add", access: PageAccess = .control) async throws {
      rig = try await APIRig(access: access)
      try await start(mode)
    }

    mutating func start(_ mode: String) async throws {
      if rig.configuration.facts.access == .view {
        try await rig.party.start(PartyMode(rawValue: mode) ?? .ask)
      } else {
        #expect(try await rig.ask("POST", "/api/v1/party", #"{"mode":"\#(mode)"}"#).status == 200)
      }
      code = try await text("code")
    }

    func text(_ name: String) async throws -> String {
      guard case .string(let text)? = try await party()[name] else { return "" }
      return text
    }

    func party() async throws -> JSONValue {
      try #require(try await rig.ask("GET", "/api/v1/party").json)
    }

    /// The requests as they are shown: state and title.
    func requests() async throws -> [String] {
      guard case .array(let requests)? = try await party()["requests"] else { return [] }
      return requests.map { request in
        guard case .string(let state)? = request["state"], case .string(let title)? = request["title"] else {
          return "?"
        }
        return "\(state) \(title)"
      }
    }

    func join(_ name: String = "", from remote: String = "192.0.2.9") async throws -> Guest {
      let reply = try await rig.ask(
        "POST", "/api/v1/party/guests", #"{"code":"\#(code)","name":"\#(name)"}"#, from: remote)
      #expect(reply.status == 200)
      guard case .string(let token)? = reply.json?["token"] else { return Guest(rig: rig, token: "") }
      return Guest(rig: rig, token: token, remote: remote)
    }
  }

  struct Guest {
    let rig: APIRig
    var token: String
    var remote = "192.0.2.9"

    func ask(_ method: String, _ path: String, _ body: String? = nil) async throws -> APIRig.Reply {
      try await rig.ask(
        method, "/api/v1/party/\(path)", body, fields: [("vireo-guest", token)], from: remote)
    }

    func request(_ name: String, _ more: String = "") async throws -> APIRig.Reply {
      try await ask("POST", "requests", #"{"uri":"http://s/\#(name)"\#(more)}"#)
    }
  }

  // MARK: The host

  @Test func aPartyBeginsAndEnds() async throws {
    var evening = try await Evening()
    let rig = evening.rig
    #expect(PartyCode.isOne(evening.code))
    let party = try await evening.party()
    #expect(party["isRunning"] == .boolean(true) && party["seconds"] == .number(8 * 3600))
    #expect(party["address"] == .string("http://192.0.2.7:49494/"))
    // Of two pages at once, one is told.
    #expect(try await rig.ask("POST", "/api/v1/party", #"{"mode":"ask"}"#).type == "party-running")
    #expect(try await rig.ask("PATCH", "/api/v1/party", #"{"mode":"ask","hours":1.5}"#).status == 200)
    #expect(try await evening.party()["mode"] == .string("ask"))
    #expect(try await evening.party()["seconds"] == .number(5400))
    #expect(rig.keptParty.value != nil)
    let first = evening.code
    #expect(try await rig.ask("DELETE", "/api/v1/party").status == 204)
    #expect(rig.keptParty.value == nil)
    for (method, path, body) in [
      ("DELETE", "", nil), ("PATCH", "", #"{"mode":"ask"}"#), ("POST", "/guests", #"{"code":"\#(first)"}"#),
    ] {
      let reply = try await rig.ask(method, "/api/v1/party\(path)", body)
      #expect(reply.status == 404 && reply.type == "no-party")
    }
    #expect(
      try await rig.ask("GET", "/api/v1/party").text.hasPrefix(#"{"version":4,"isRunning":false"#))
    // And a second one.
    try await evening.start("add")
    #expect(evening.code != first)
    let reply = try await rig.ask("POST", "/api/v1/party/guests", #"{"code":"\#(first)"}"#)
    #expect(reply.status == 403 && reply.type == "wrong-code")
    let guest = try await evening.join()
    #expect(try await guest.request("a").status == 200)
  }

  @Test(arguments: [
    ("POST", "", #"{"mode":"yes"}"#), ("POST", "", #"{"mode":"ask","hours":25}"#), ("POST", "", "{}"),
    ("PATCH", "", "{}"), ("POST", "/guests", #"{"code":""}"#), ("POST", "/guests", "{}"),
    ("PATCH", "/requests/1", #"{"decision":"maybe"}"#), ("DELETE", "/requests/1", nil),
    ("POST", "/requests", "{}"), ("POST", "/requests/0/vote", nil),
  ])
  func whatIsSentIsChecked(_ method: String, _ path: String, _ body: String?) async throws {
    let evening = try await Evening()
    #expect(try await evening.rig.ask(method, "/api/v1/party\(path)", body).status == 422)
  }

  // MARK: Requests

  @Test func requestsJoinTheQueue() async throws {
    let evening = try await Evening()
    let rig = evening.rig
    try await rig.fill(3)
    let (ann, bob) = (try await evening.join("Ann"), try await evening.join("Bob", from: "192.0.2.8"))
    let one = try await ann.request(
      "one.flac", #","title":"One","artist":"A","seconds":61,"art":"http://s/x""#)
    #expect(
      one.text
        == #"{"id":1,"guest":1,"name":"Ann","title":"One","artist":"A","seconds":61,"art":"/art/10","state":"queued","votes":0,"next":false,"track":4}"#
    )
    #expect(try await bob.request("two.flac").status == 200)
    #expect(try await bob.request("three.flac", #","next":true"#).status == 200)
    #expect(await rig.state().playlist.tracks.ids == [1, 6, 4, 5, 2, 3])
    #expect(try await bob.ask("POST", "requests/1/vote").status == 204)
    #expect(try await ann.ask("POST", "requests/2/vote").status == 204)
    #expect(try await ann.ask("POST", "requests/1/vote").type == "no-vote")
    #expect(try await bob.ask("DELETE", "requests/1/vote").status == 204)
    #expect(await rig.state().playlist.tracks.ids == [1, 6, 5, 4, 2, 3])
    #expect(
      try await evening.requests() == ["queued three.flac", "queued two.flac", "queued One"])
    #expect(try await ann.ask("DELETE", "requests/2").type == "not-yours")
    #expect(try await bob.ask("DELETE", "requests/2").status == 204)
    #expect(await rig.state().playlist.tracks.ids == [1, 6, 4, 2, 3])
    #expect(
      try await ann.ask("GET", "guest").text
        == #"{"id":1,"name":"Ann","left":9,"wait":0,"nextWait":0,"voted":[]}"#)
  }

  @Test func theHostDecides() async throws {
    let evening = try await Evening("ask")
    let rig = evening.rig
    try await rig.fill(2)
    let guest = try await evening.join()
    for name in ["a", "b"] { #expect(try await guest.request(name).status == 200) }
    #expect(await rig.state().playlist.tracks.count == 2)
    func decide(_ id: Int, _ decision: String) async throws -> APIRig.Reply {
      try await rig.ask("PATCH", "/api/v1/party/requests/\(id)", #"{"decision":"\#(decision)"}"#)
    }
    for _ in 0..<2 { #expect(try await decide(2, "accept").status == 204) }
    for _ in 0..<2 { #expect(try await decide(1, "refuse").status == 204) }
    #expect(try await decide(1, "accept").type == "request-over")
    #expect(try await decide(9, "accept").status == 404)
    #expect(await rig.state().playlist.tracks.ids == [1, 3, 2])
    #expect(try await evening.requests() == ["queued b", "refused a"])
  }

  @Test func songsOfMediaServersAreRequested() async throws {
    let evening = try await Evening()
    let guest = try await evening.join()
    func ask(_ object: String, _ server: String = "server") async throws -> APIRig.Reply {
      try await guest.ask("POST", "requests", #"{"server":"\#(server)","object":"\#(object)"}"#)
    }
    #expect(try await ask("song1").status == 200)
    #expect(try await ask("song1").type == "already-waiting")
    #expect(try await ask("album").type == "not-a-song")
    #expect(try await ask("empty").type == "not-a-song")
    #expect(try await ask("song2", "nowhere").status == 404)
    #expect(try await guest.ask("POST", "requests", #"{"server":"server"}"#).type == "missing-member")
    #expect(
      try await guest.ask("POST", "requests", #"{"server":"server","object":"o","uri":"http://s/"}"#).type
        == "ambiguous-item")
    #expect(try await ask("song2").status == 200)
  }

  @Test(arguments: ["file:///srv/a.flac", "ftp://s/a", "http:", "x-vireo:1", "http://"])
  func onlyTheWebIsRequested(_ address: String) async throws {
    let evening = try await Evening("add")
    try await evening.rig.perform(
      .configure(PlayerConfiguration(uriPolicy: URIPolicy(directories: ["/srv"]))))
    let guest = try await evening.join()
    let reply = try await guest.ask("POST", "requests", #"{"uri":"\#(address)"}"#)
    #expect(reply.status == 422 && reply.pointer == "/uri")
  }

  @Test func whatPlaysIsFollowed() async throws {
    let evening = try await Evening()
    let rig = evening.rig
    try await rig.fill(1)
    let guest = try await evening.join()
    for name in ["a", "b", "c"] { _ = try await guest.request(name) }
    try await rig.perform(.playlist(.playID(2)))
    #expect(try await evening.requests() == ["queued a", "queued b", "queued c"], "nobody has heard it yet")
    let id = try #require(await rig.state().transport.playID)
    await rig.player.receive(.started(id))
    await rig.player.receive(.playing(id, position: .zero))
    #expect(try await evening.requests() == ["playing a", "queued b", "queued c"])
    try await rig.perform(.playlist(.delete(3)))
    #expect(try await evening.requests() == ["playing a", "queued c", "removed b"])
    // The host plays what is behind them.
    try await rig.perform(.playlist(.playID(1)))
    #expect(try await evening.requests() == ["queued c", "removed b", "played a"])
  }

  @Test func shufflingKeepsRequestsNext() async throws {
    let evening = try await Evening()
    let rig = evening.rig
    try await rig.fill(50)
    try await rig.perform(.playlist(.setShuffle(true)), .playlist(.play))
    let (ann, bob) = (try await evening.join(), try await evening.join(from: "192.0.2.8"))
    for name in ["a", "b", "c"] { _ = try await ann.request(name) }
    #expect(try await bob.ask("POST", "requests/3/vote").status == 204)
    let upcoming = await rig.state().playlist.upcoming(most: 3).map(\.uri)
    #expect(upcoming == ["http://s/c", "http://s/a", "http://s/b"])
  }

  @Test func aFullQueueRefuses() async throws {
    let evening = try await Evening()
    var settings = PlayerConfiguration()
    settings.tracksMax = 1
    try await evening.rig.perform(.configure(settings))
    let guest = try await evening.join()
    #expect(try await guest.request("a").status == 200)
    let reply = try await guest.request("b")
    #expect(reply.status == 409 && reply.type == "queue-full")
    // It wasn't counted.
    #expect(try await guest.ask("GET", "guest").json?["left"] == .number(9))
  }

  // MARK: Limits

  @Test func limitsSayWhenToComeBack() async throws {
    let evening = try await Evening()
    let guest = try await evening.join()
    for number in 0..<10 { #expect(try await guest.request("\(number)").status == 200) }
    let reply = try await guest.request("more")
    #expect(reply.status == 429 && reply["retry-after"] == "120")
    #expect(reply.json?["detail"] == .string("You have requested many songs; try again in 2 min."))
    let again = try await evening.join()
    #expect(try await again.request("more").status == 429)
    #expect(try await again.ask("POST", "requests", #"{"server":"nowhere","object":"x"}"#).status == 429)
    evening.rig.time.value += .seconds(120)
    #expect(try await again.request("more").status == 200)
    evening.rig.time.value += .seconds(120)
    #expect(try await guest.request("1").type == "already-waiting")
    #expect(try await Guest(rig: evening.rig, token: "nobody").request("x").type == "unknown-guest")
  }

  @Test func wrongCodesAreCounted() async throws {
    let evening = try await Evening()
    func enter(_ code: String) async throws -> APIRig.Reply {
      try await evening.rig.ask("POST", "/api/v1/party/guests", #"{"code":"\#(code)"}"#)
    }
    for _ in 0..<10 { #expect(try await enter("AAAAAAAA").status == 403) }
    let reply = try await enter(evening.code)
    #expect(reply.status == 429 && reply["retry-after"] == "30")
    _ = try await evening.join(from: "192.0.2.8")
  }

  // MARK: What others see

  @Test func nobodysTokenIsShown() async throws {
    let evening = try await Evening()
    let guest = try await evening.join("Ann")
    _ = try await guest.request("a")
    for path in ["party", "party/requests", "events?sections=party", "rooms/next"] {
      #expect(!(try await evening.rig.ask("GET", "/api/v1/\(path)").text).contains(guest.token))
    }
    #expect(!(try await guest.ask("GET", "guest").text).contains(guest.token))
    // But it is kept.
    #expect(try #require(evening.rig.keptParty.value).contains(guest.token))
  }

  /// Where pages may only look, a party that the configuration has begun goes on; nobody is its host by the page.
  @Test func guestsMayWherePagesMayOnlyLook() async throws {
    let evening = try await Evening("add", access: .view)
    let guest = try await evening.join()
    for name in ["a", "b"] { #expect(try await guest.request(name).status == 200) }
    #expect(try await guest.ask("POST", "requests/2/vote").type == "no-vote")
    #expect(try await guest.ask("DELETE", "requests/2").status == 204)
    for (method, path, body) in [
      ("POST", "", #"{"mode":"add"}"#), ("PATCH", "", #"{"mode":"ask"}"#), ("DELETE", "", nil),
      ("PATCH", "/requests/1", #"{"decision":"accept"}"#),
    ] {
      #expect(try await evening.rig.ask(method, "/api/v1/party\(path)", body).type == "read-only")
    }
    #expect(
      try await evening.rig.ask("POST", "/api/v1/queue/tracks", #"{"tracks":[{"uri":"http://s/"}]}"#).status
        == 403)
  }

  @Test func aPartyGoesOnAfterARestart() async throws {
    let evening = try await Evening("ask")
    let guest = try await evening.join("Ann")
    _ = try await guest.request("a", #","title":"Asked""#)
    let text = try #require(evening.rig.keptParty.value)
    let next = try await APIRig()
    #expect(await next.party.resume(text))
    let later = Guest(rig: next, token: guest.token)
    #expect(try await later.ask("GET", "guest").json?["name"] == .string("Ann"))
    #expect(
      try await next.ask("PATCH", "/api/v1/party/requests/1", #"{"decision":"accept"}"#).status == 204)
    #expect(await next.state().playlist.tracks.count == 1)
    let broken = try await APIRig()
    #expect(await !broken.party.resume("{}"))
  }

  @Test func itEndsByItself() async throws {
    let evening = try await Evening()
    let guest = try await evening.join()
    evening.rig.time.value += .seconds(8 * 3600)
    #expect(try await guest.request("a").type == "no-party")
  }

  /// The timer, with a party of a moment.
  @Test func theTimerEndsIt() async throws {
    let rig = try await APIRig()
    try await rig.party.start(.add, length: .milliseconds(20))
    rig.time.value += .seconds(1)
    for _ in 0..<200 where await rig.party.session != nil { try await Task.sleep(for: .milliseconds(10)) }
    #expect(await rig.party.session == nil)
    try await rig.party.start(.add)
    #expect(await rig.party.session != nil)
  }

  @Test func withoutAQueueThereIsNoParty() async throws {
    var settings = PlayerConfiguration()
    settings.openHomeEnabled = false
    let rig = try await APIRig(settings)
    #expect(try await rig.ask("POST", "/api/v1/party", #"{"mode":"add"}"#).type == "no-queue")
  }
}
