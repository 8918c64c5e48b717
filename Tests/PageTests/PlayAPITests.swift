import JSON
import Player
import Services
import Testing

@Suite struct PlayAPITests {
  private func play(_ rig: APIRig, _ items: String, _ more: String = "") async throws -> APIRig.Reply {
    try await rig.ask("POST", "/api/v1/play", #"{"items": [\#(items)]\#(more)}"#)
  }

  private func ids(_ rig: APIRig) async -> [UInt32] { await rig.state().playlist.tracks.ids }

  @Test func theFourWays() async throws {
    let rig = try await APIRig()
    try await rig.fill(3)
    try await rig.perform(.playlist(.playID(2)))
    let (one, two) = (#"{"uri": "http://s/1", "title": "One"}"#, #"{"uri": "http://s/2"}"#)
    #expect(try await play(rig, one, #", "how": "next""#).status == 200)
    #expect(await ids(rig) == [1, 2, 4, 3])
    #expect(await rig.state().playlist.currentID == 2)
    #expect(try await play(rig, one, #", "how": "end""#).status == 200)
    #expect(await ids(rig) == [1, 2, 4, 3, 5])
    #expect(try await play(rig, "\(one), \(two)").text.hasPrefix(#"{"added":2,"left":0,"#))
    #expect(await ids(rig) == [1, 2, 6, 7, 4, 3, 5])
    #expect(await rig.state().playlist.currentID == 6, "now is how, if nothing is said")
    #expect(try await play(rig, "\(one), \(two)", #", "how": "replace""#).status == 200)
    #expect(await ids(rig) == [8, 9])
    #expect(await rig.state().playlist.currentID == 8)
    #expect(await rig.state().transport.continuation == .playing)
    #expect(try await rig.ask("POST", "/api/v1/queue/undo").status == 204)
    #expect(await ids(rig) == [1, 2, 6, 7, 4, 3, 5])
    #expect(rig.casters.last?.isPage == true)
    #expect(rig.casters.last?.address == "192.0.2.9")
  }

  @Test func whatIsAddedAsNextPlaysNextAlsoWhileShuffling() async throws {
    let rig = try await APIRig()
    try await rig.fill(40)
    try await rig.perform(.playlist(.playID(2)), .playlist(.setShuffle(true)))
    func next() async -> String? { await rig.state().nextTrack?.uri }
    let (one, two) = (#"{"uri": "http://s/1"}"#, #"{"uri": "http://s/2"}"#)
    #expect(try await play(rig, "\(one), \(two)", #", "how": "next""#).status == 200)
    #expect(await next() == "http://s/1")
    #expect(await rig.state().playlist.currentID == 2)
    for id in [30, 7, 19] {
      let body = #"{"ids": [\#(id)], "after": 2}"#
      #expect(try await rig.ask("POST", "/api/v1/queue/move", body).status == 204)
      #expect(await next() == "http://server/\(id).flac")
    }
    let insertion = #"{"after": 2, "tracks": [\#(one)]}"#
    #expect(try await rig.ask("POST", "/api/v1/queue/tracks", insertion).status == 200)
    #expect(await next() == "http://s/1")
    // All that was brought there comes one after the other.
    try await rig.perform(.transport(.skipNext))
    #expect(await next() == "http://server/19.flac")
    try await rig.perform(.transport(.skipNext), .transport(.skipNext), .transport(.skipNext))
    #expect(await next() == "http://s/1")
    try await rig.perform(.transport(.skipNext))
    #expect(await next() == "http://s/2")
  }

  @Test func whatIsLeftOutIsSaid() async throws {
    let rig = try await APIRig()
    let reply = try await play(rig, #"{"server": "server", "object": "huge"}"#)
    #expect(reply.status == 200)
    #expect(reply.json?["isPartial"] == .boolean(true))
    #expect(reply.text.contains("There is more in it than could be listed"))
    #expect(try await play(rig, #"{"server": "server", "object": "7"}"#).json?["isPartial"] == nil)
    let nothing = try await play(rig, #"{"server": "server", "object": "empty"}"#)
    #expect(nothing.status == 422)
    #expect(nothing.text.contains("not all of it could be listed"))
  }

  @Test func whatTheQueueHasNoRoomForIsNotAskedFor() async throws {
    let rig = try await APIRig(PlayerConfiguration(tracksMax: 2))
    let item = #"{"server": "server", "object": "7"}"#
    let reply = try await play(rig, "\(item), \(item)")
    #expect(reply.json?["added"] == .number(2))
    #expect(reply.json?["isPartial"] == .boolean(true))
  }

  @Test func whatAMediaServerHasIsAdded() async throws {
    let rig = try await APIRig()
    let reply = try await play(rig, #"{"uri": "http://s/1"}, {"server": "server", "object": "7"}"#)
    #expect(reply.text == #"{"added":3,"left":1,"detail":"1 can't be played by this speaker.","token":"2"}"#)
    let uris = await rig.state().playlist.tracks
    #expect(
      uris.ids.compactMap { uris[$0]?.uri } == ["http://s/1", "http://server/7/one", "http://server/7/two"])
    #expect(try await play(rig, #"{"server": "other", "object": "7"}"#).status == 404)
    #expect(await ids(rig).count == 3)
  }

  @Test func otherRenderersPlayToo() async throws {
    let rig = try await APIRig()
    let reply = try await play(rig, #"{"uri": "http://s/1"}"#, #", "where": "uuid:other", "how": "end""#)
    #expect(reply.text == #"{"added":1,"left":0,"detail":"end on uuid:other"}"#)
    #expect(await ids(rig).isEmpty)
    #expect(try await play(rig, #"{"uri": "http://s/1"}"#, #", "where": "uuid:self""#).status == 200)
    #expect(try await play(rig, #"{"uri": "http://s/1"}"#, #", "where": "UUID:Self""#).status == 200)
    #expect(await ids(rig).count == 2)
  }

  @Test func stationsArePlayed() async throws {
    let rig = try await APIRig()
    try await rig.perform(
      .radio(.setPresets([Media(station: "http://radio/one", name: "One", image: "http://radio/logo")])))
    let radio = try #require(try await rig.ask("GET", "/api/v1/radio").json)
    #expect(
      radio["presets"]
        == .array([
          .object([
            JSONMember("id", .number(1)), JSONMember("title", .string("One")),
            JSONMember("uri", .string("http://radio/one")), JSONMember("art", .string("/art/17")),
          ])
        ]))
    #expect(try await play(rig, #"{"preset": 1}"#).status == 200)
    #expect(await rig.state().activeSource == .radio)
    #expect(await rig.state().transport.continuation == .playing)
    #expect(try await rig.ask("GET", "/api/v1/radio").json?["current"] == .number(1))
    #expect(try await play(rig, #"{"preset": 1}"#, #", "how": "end""#).status == 200)
    #expect(await ids(rig) == [1], "a station can be in the queue as well")
    #expect(try await play(rig, #"{"preset": 2}"#).pointer == "/items/0/preset")
    #expect(try await rig.ask("POST", "/api/v1/radio/1/play").status == 204)
    #expect(try await rig.ask("POST", "/api/v1/radio/2/play").status == 404)
    let check = try await rig.ask("POST", "/api/v1/radio/check", #"{"uri": "http://radio/two"}"#)
    #expect(check.json?["isPlayable"] == .boolean(true))
    #expect(try await rig.ask("POST", "/api/v1/radio/check", #"{"uri": "file:///a"}"#).status == 422)
  }

  @Test(arguments: [
    ("{}", "/items/0"), (#"{"title": "a"}"#, "/items/0"),
    (#"{"uri": "http://s/1", "preset": 1}"#, "/items/0"),
    (#"{"server": "server"}"#, "/items/0"), (#"{"uri": "ftp://s/1"}"#, "/items/0/uri"),
    (#"{"uri": "http://s/1", "seconds": -1}"#, "/items/0/seconds"), (#"{"url": "a"}"#, "/items/0/url"),
    (#"{"uri": "http://s/1"}, {"uri": 1}"#, "/items/1/uri"),
  ]) func refusals(_ items: String, _ pointer: String) async throws {
    let rig = try await APIRig()
    let reply = try await play(rig, items)
    #expect(reply.status == 422)
    #expect(reply.pointer == pointer)
    #expect(await ids(rig).isEmpty)
  }

  @Test func withoutAQueueTheFirstIsCast() async throws {
    let rig = try await APIRig(PlayerConfiguration(openHomeEnabled: false))
    let items = #"{"uri": "http://s/1"}, {"uri": "http://s/2"}"#
    #expect(try await play(rig, items).json?["added"] == .number(1))
    #expect(await rig.state().currentTrack?.uri == "http://s/1")
    #expect(try await play(rig, items, #", "how": "end""#).type == "no-queue")
    #expect(try await rig.ask("DELETE", "/api/v1/queue").type == "no-queue")
  }

  @Test func anAddressCountsUntilNothingIsReadFromIt() async throws {
    let rig = try await APIRig()
    func check() async throws -> Int {
      try await rig.ask("POST", "/api/v1/radio/check", #"{"uri": "http://endless/"}"#).status
    }
    #expect(try await check() == 200)
    #expect(try await check() == 429)
    await rig.probe.end()
    #expect(try await check() == 200)
  }

  @Test func onlyAddressesThatMayBePlayedAreLookedAt() async throws {
    let rig = try await APIRig()
    for uri in ["file:///etc/passwd", "gopher://a/", "ftp://a/b", "http://a/\\u0001", "/etc/passwd"] {
      let reply = try await rig.ask("POST", "/api/v1/radio/check", #"{"uri": "\#(uri)"}"#)
      #expect(reply.status == 422, "\(uri)")
      #expect(reply.type == "address-refused", "\(uri)")
    }
  }

  @Test func whoMayOnlyLookHasNoAddressLookedAt() async throws {
    let rig = try await APIRig(access: .view)
    let reply = try await rig.ask("POST", "/api/v1/radio/check", #"{"uri": "http://radio/"}"#)
    #expect(reply.status == 403 && reply.type == "read-only")
  }

  @Test(.timeLimit(.minutes(1))) func oneAddressIsLookedAtAtATime() async throws {
    let rig = try await APIRig()
    @Sendable func check() async throws -> Int {
      try await rig.ask("POST", "/api/v1/radio/check", #"{"uri": "http://gate/"}"#).status
    }
    async let first = check()
    while await !rig.probe.isHeld { try await Task.sleep(for: .milliseconds(1)) }
    #expect(try await check() == 429)
    await rig.probe.open()
    #expect(try await first == 200)
    #expect(try await check() == 200)
  }

  /// The words of the log, and the key to set.
  @Test func withoutASoundDeviceTheAnswerSaysSo() async throws {
    let rig = try await APIRig()
    try await rig.fill(3)
    #expect(try await rig.ask("POST", "/api/v1/player/play").status == 204)
    let text =
      "The sound device alsa:hw:9 can't be used: it is away. Playback goes on by itself when it is there."
    await rig.player.receive(.device(.away(text)))
    for (path, body) in [
      ("player/play", nil), ("player/next", nil), ("queue/tracks/2/play", nil),
      ("play", #"{"items": [{"uri": "http://s/1"}]}"#),
      ("play", #"{"items": [{"server": "server", "object": "7"}], "how": "replace"}"#),
    ] {
      let reply = try await rig.ask("POST", "/api/v1/\(path)", body)
      #expect(reply.status == 503, "\(path)")
      #expect(reply.contentType == "application/problem+json" && reply.type == "no-sound-device")
      #expect(reply.text.contains(text) && reply.text.contains("output in the section [audio]"))
    }
    // What makes no sound needs no device.
    let end = #"{"items": [{"uri": "http://s/1"}], "how": "end"}"#
    #expect(try await rig.ask("POST", "/api/v1/play", end).status == 200)
    #expect(try await rig.ask("POST", "/api/v1/player/stop").status == 204)
    #expect(try await rig.ask("PATCH", "/api/v1/player", #"{"volume": 20}"#).status == 204)
  }

  @Test func aSoundDeviceMayBeBack() async throws {
    let rig = try await APIRig()
    try await rig.fill(1)
    _ = try await rig.ask("POST", "/api/v1/player/play")
    let id = try #require(await rig.state().transport.playID)
    await rig.player.receive(.failed(id, PlaybackFailure(.device, "The sound device is busy.")))
    let busy = try await rig.ask("POST", "/api/v1/player/play")
    #expect(busy.status == 503 && busy.text.contains("The sound device is busy."))
    async let reply = rig.ask("POST", "/api/v1/player/play")
    let format = SampleFormat(name: "S16LE", depth: 16, isFloat: false, rate: 44100, channels: 2)
    let path = SoundPath(decoded: format, delivered: format, target: .card)
    await rig.player.receive(.device(.open(name: "x", path)))
    #expect(try await reply.status == 204)
  }

  @Test func songsOfAStationAreRemembered() async throws {
    let rig = try await APIRig()
    var old = await rig.state()
    func take(_ title: String?) async throws -> Bool {
      let new = await rig.player.state
      defer { old = new }
      return rig.songs.take(old, new, at: PlayerInstant(nanoseconds: 0))
    }
    try await rig.perform(.radio(.setChannel(Media(uri: "http://radio/one"))), .radio(.play))
    #expect(try await !take(nil))
    for (title, isNew) in [("A - B", true), ("A - B", false), ("C", true)] {
      let id = try #require(await rig.state().transport.playID)
      await rig.player.receive(.tags(id, StreamTags(title: title)))
      #expect(try await take(title) == isNew)
    }
    let songs = try #require(try await rig.ask("GET", "/api/v1/radio").json?["songs"])
    #expect(
      songs
        == .array(
          ["C", "A - B"].map {
            .object([JSONMember("text", .string($0)), JSONMember("age", .number(0))])
          }))
    try await rig.perform(.radio(.setChannel(Media(uri: "http://radio/two"))))
    #expect(try await take(nil))
    #expect(try await rig.ask("GET", "/api/v1/radio").json?["songs"] == .array([]))
  }
}
