import JSON
import Pins
import Player
import Services
import Testing

@Suite struct PinsAPITests {
  private func add(_ rig: APIRig, _ body: String) async throws -> APIRig.Reply {
    try await rig.ask("POST", "/api/v1/pins", body)
  }

  private func bank(_ rig: APIRig) async -> PinBank { await rig.state().pins }

  private func number(_ reply: APIRig.Reply, _ name: String) -> Int? {
    if case .number(let number) = reply.json?[name] { Int(number) } else { nil }
  }

  @Test func whatIsKeptIsShown() async throws {
    let rig = try await APIRig()
    #expect(try await rig.ask("GET", "/api/v1/pins").text == #"{"version":1,"size":12,"pins":[]}"#)
    let made = try await add(
      rig,
      #"{"uri": "http://user:geheim@s/live.mp3", "title": "Bird", "art": "/art/known", "description": "d"}"#)
    #expect(made.status == 200)
    #expect(number(made, "slot") == 1 && number(made, "id") == 1)
    let pin = try #require(await bank(rig).pin(1))
    #expect(pin.picture == "http://192.0.2.1/cover.jpg")
    #expect(try PinURI(pin.uri, mode: pin.mode) == .stream("http://user:geheim@s/live.mp3"))
    let shown = try await rig.ask("GET", "/api/v1/pins").text
    #expect(shown.hasPrefix(#"{"version":2,"size":12,"pins":[{"slot":1,"id":1,"mode":"url","type":"stream""#))
    #expect(!shown.contains("geheim") && shown.contains(#""art":"/art/"#))
  }

  @Test func theKinds() async throws {
    let rig = try await APIRig()
    try await rig.perform(
      .radio(.setPresets([Media(station: "http://s/bird", name: "Bird", image: "http://s/b.png")])))
    #expect(try await add(rig, #"{"preset": 1}"#).status == 200)
    #expect(
      try await add(rig, #"{"server": "server", "object": "album", "title": "Album", "shuffle": true}"#)
        .status
        == 200)
    #expect(try await add(rig, #"{"source": "upnp-av"}"#).status == 200)
    #expect(try await add(rig, #"{"playlist": 7, "title": "Evening"}"#).status == 200)
    try await rig.perform(.radio(.setChannel(Media(station: "http://s/frog", name: "Frog"))))
    #expect(try await add(rig, #"{"playing": true}"#).status == 200)
    let pins = await bank(rig).slots.compactMap { $0?.pin }
    #expect(
      pins.map { try? PinURI($0.uri, mode: $0.mode) } == [
        .stream("http://s/bird"), .object(server: "server", id: "album"), .source("UPnP AV"), .playlist("7"),
        .stream("http://s/frog"),
      ])
    #expect(pins.map(\.title) == ["Bird", "Album", "upnp-av", "Evening", "Frog"])
    #expect(pins[0].picture == "http://s/b.png" && pins[1].isShuffled)
  }

  @Test func whatIsRefused() async throws {
    let rig = try await APIRig()
    for (body, status, type) in [
      ("{}", 422, "empty"), (#"{"title": "x"}"#, 422, "ambiguous-item"),
      (#"{"uri": "http://s/1", "preset": 1}"#, 422, "ambiguous-item"),
      (#"{"uri": "gopher://s/1"}"#, 422, "address-refused"), (#"{"preset": 1}"#, 404, "not-found"),
      (#"{"server": "s", "object": "o"}"#, 422, "missing-member"),
      (#"{"server": "s", "title": "x"}"#, 422, "missing-member"),
      (#"{"playing": true}"#, 409, "not-possible-now"), (#"{"playing": false}"#, 409, "not-possible-now"),
      (#"{"uri": "http://s/\#(String(repeating: "a", count: 600))"}"#, 422, "too-long"),
      (#"{"source": "tape"}"#, 422, "unknown-word"),
    ] {
      let reply = try await add(rig, body)
      #expect(reply.status == status, "\(body)")
      #expect(reply.type == type || type == "empty" || type == "unknown-word", "\(body) \(reply.text)")
    }
    #expect(await bank(rig).isEmpty)
    #expect(try await rig.ask("PUT", "/api/v1/pins/13", #"{"uri": "http://s/1"}"#).status == 422)
    #expect(try await rig.ask("PUT", "/api/v1/pins/0", #"{"uri": "http://s/1"}"#).status == 422)
    #expect(try await rig.ask("DELETE", "/api/v1/pins/1").status == 404)
    #expect(try await rig.ask("POST", "/api/v1/pins/9/play").status == 404)
  }

  @Test(arguments: ["-9223372036854775808", "-1", "4294967295", "9223372036854775807", "1e300"])
  func extremeNumbersAreRefused(number: String) async throws {
    let rig = try await APIRig()
    #expect(try await add(rig, #"{"uri": "http://s/1"}"#).status == 200)
    let before = await bank(rig)
    let requests = [
      ("PUT", "/\(number)", #"{"uri": "http://s/2"}"#), ("DELETE", "/\(number)", ""),
      ("DELETE", "/1?id=\(number)", ""), ("POST", "/\(number)/play", ""),
      ("POST", "/move", #"{"id": \#(number), "slot": 1}"#),
      ("POST", "/move", #"{"id": 1, "slot": \#(number)}"#),
      ("POST", "/swap", #"{"first": \#(number), "second": 1}"#),
      ("POST", "/swap", #"{"first": 1, "second": \#(number)}"#), ("POST", "", #"{"preset": \#(number)}"#),
    ]
    for (method, path, body) in requests {
      let status = try await rig.ask(method, "/api/v1/pins\(path)", body).status
      #expect([404, 409, 422].contains(status), "\(method) \(path) \(body): \(status)")
    }
    #expect(await bank(rig) == before)
  }

  @Test func twelveAreEnough() async throws {
    let rig = try await APIRig()
    for number in 1...12 {
      #expect(try await self.number(add(rig, #"{"uri": "http://s/\#(number)"}"#), "slot") == number)
    }
    let full = try await add(rig, #"{"uri": "http://s/13"}"#)
    #expect(full.status == 409 && full.type == "pins-full")
    #expect(try await rig.ask("PUT", "/api/v1/pins/12", #"{"uri": "http://s/13"}"#).status == 200)
    #expect(try await rig.ask("DELETE", "/api/v1/pins/3").status == 204)
    #expect(try await number(add(rig, #"{"uri": "http://s/14"}"#), "slot") == 3)
  }

  @Test func placesChange() async throws {
    let rig = try await APIRig()
    for number in 1...3 { _ = try await add(rig, #"{"uri": "http://s/\#(number)"}"#) }
    #expect(try await rig.ask("POST", "/api/v1/pins/move", #"{"id": 3, "slot": 1}"#).status == 204)
    #expect(await bank(rig).ids.prefix(3) == [3, 1, 2])
    #expect(try await rig.ask("POST", "/api/v1/pins/swap", #"{"first": 1, "second": 12}"#).status == 204)
    #expect(await bank(rig).ids == [0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3])
    #expect(try await rig.ask("POST", "/api/v1/pins/move", #"{"id": 9, "slot": 1}"#).status == 404)
    #expect(try await rig.ask("POST", "/api/v1/pins/swap", #"{"first": 1, "second": 13}"#).status == 422)
    // Somebody else was faster.
    let late = try await rig.ask("DELETE", "/api/v1/pins/2?id=3")
    #expect(late.status == 409 && late.type == "pin-changed")
    #expect(try await rig.ask("DELETE", "/api/v1/pins/2?id=1").status == 204)
  }

  // MARK: Playing

  @Test func whatIsKnownAtOncePlaysAtOnce() async throws {
    let rig = try await APIRig()
    _ = try await add(rig, #"{"uri": "http://s/live.mp3", "title": "Bird"}"#)
    #expect(try await rig.ask("POST", "/api/v1/pins/1/play").status == 204)
    let state = await rig.state()
    #expect(state.activeSource == .radio && state.transport.continuation == .playing)
    #expect(state.radio.channel?.uri == "http://s/live.mp3")
    #expect(rig.casters.last?.isPage == true)
  }

  /// Plays the pin 1, and answers for the media server once it is asked.
  private func play(
    _ rig: APIRig, _ target: String = "/api/v1/pins/1/play", _ body: String? = nil,
    then answer: @escaping @Sendable (isolated PlayerCore, ResolveID) -> Void
  ) async throws -> APIRig.Reply {
    async let reply = rig.ask("POST", target, body)
    while await rig.state().pinPlay?.progress != .finding { await Task.yield() }
    await rig.player.answer(answer)
    return try await reply
  }

  @Test func aServersTracksAreWaitedFor() async throws {
    let rig = try await APIRig()
    try await rig.fill(2)
    _ = try await add(rig, #"{"server": "server", "object": "album", "title": "Album"}"#)
    let reply = try await play(rig) { $0.found(.tracks([Media(uri: "http://server/one")]), of: $1) }
    #expect(reply.status == 204)
    #expect(await rig.state().playlist.tracks.ids.count == 1)
    #expect(try await rig.ask("POST", "/api/v1/queue/undo").status == 204)
    #expect(await rig.state().playlist.tracks.ids == [1, 2])
  }

  @Test func whyItDoesNotPlayIsSaid() async throws {
    let rig = try await APIRig()
    _ = try await add(rig, #"{"server": "server", "object": "album", "title": "Album"}"#)
    let gone = try await play(rig) {
      $0.found(.nothing(PlaybackFailure(.notFound, "There is no such server.")), of: $1)
    }
    #expect(gone.status == 404 && gone.text.contains("There is no such server."))
    #expect(await rig.state().failure?.message == "There is no such server.")
    let silent = try await play(rig) {
      $0.found(.nothing(PlaybackFailure(.unreachable, "It is silent.")), of: $1)
    }
    #expect(silent.status == 502)
    let empty = try await play(rig) { $0.found(.tracks([]), of: $1) }
    #expect(empty.status == 422 && empty.type == "not-playable")
    let dropped = try await play(rig) { player, _ in try? player.perform(.transport(.stop)) }
    #expect(dropped.status == 409 && dropped.type == "superseded")
  }

  @Test func pinsAreItemsOfPlay() async throws {
    let rig = try await APIRig()
    try await rig.fill(1)
    _ = try await add(rig, #"{"server": "server", "object": "album", "title": "Album"}"#)
    _ = try await add(rig, #"{"uri": "http://s/live.mp3", "title": "Bird"}"#)
    _ = try await add(rig, #"{"source": "radio"}"#)
    func play(_ items: String, _ more: String = "") async throws -> APIRig.Reply {
      try await rig.ask("POST", "/api/v1/play", #"{"items": [\#(items)]\#(more)}"#)
    }
    #expect(try await play(#"{"pin": 1}, {"pin": 2}"#, #", "how": "end""#).text.hasPrefix(#"{"added":3,"#))
    #expect(await rig.state().playlist.tracks.count == 4)
    #expect(try await play(#"{"pin": 2}"#).text.hasPrefix(#"{"added":1,"left":0"#))
    #expect(await rig.state().activeSource == .radio)
    let elsewhere = #", "where": "other", "how": "now""#
    #expect(try await play(#"{"pin": 1}"#, elsewhere).text.contains("now on other"))
    for (item, status) in [
      (#"{"pin": 9}"#, 404), (#"{"pin": 1, "uri": "http://s/1"}"#, 422),
      (#"{"pin": 3}, {"uri": "http://s/1"}"#, 422),
    ] {
      #expect(try await play(item).status == status, "\(item)")
    }
    let whole = try await self.play(rig, "/api/v1/play", #"{"items": [{"pin": 1}], "how": "replace"}"#) {
      $0.found(.tracks([Media(uri: "http://server/one"), Media(uri: "http://server/two")]), of: $1)
    }
    #expect(whole.text.hasPrefix(#"{"added":2,"left":0"#))
  }
}

extension PlayerCore {
  fileprivate func answer(_ answer: @Sendable (isolated PlayerCore, ResolveID) -> Void) {
    if let id = state.pinPlay?.id { answer(self, id) }
  }
}
