import JSON
import Player
import Testing

@Suite struct PlayerAPITests {
  @Test func theStateIsShown() async throws {
    let reply = try await APIRig().ask("GET", "/api/v1/player")
    #expect(reply.status == 200)
    #expect(reply.contentType == "application/json")
    let json = try #require(reply.json)
    #expect(json["name"] == .string("Kitchen"))
    #expect(json["state"] == .string("stopped"))
    #expect(json["volume"] == .number(50))
    #expect(json["actions"] == .array([]))
    #expect(json["track"] == nil)
  }

  @Test(
    arguments: [
      (#"{}"#, 422, "missing-member", ""), (#"[]"#, 422, "wrong-type", ""),
      (#"{"volume": 101}"#, 422, "out-of-range", "/volume"),
      (#"{"volume": -1}"#, 422, "out-of-range", "/volume"),
      (#"{"volume": 1.5}"#, 422, "wrong-type", "/volume"),
      (#"{"volume": "5"}"#, 422, "wrong-type", "/volume"),
      (#"{"volume": null}"#, 422, "wrong-type", "/volume"), (#"{"muted": 1}"#, 422, "wrong-type", "/muted"),
      (#"{"volum": 5}"#, 422, "unknown-member", "/volum"),
      (#"{"a/b~": 5}"#, 422, "unknown-member", "/a~1b~0"),
      (#"{"source": "tape"}"#, 422, "out-of-range", "/source"),
      (#"{"balance": 16}"#, 422, "out-of-range", "/balance"),
      (#"{"position": 1000001}"#, 422, "out-of-range", "/position"),
      (#"{"position": 1}"#, 409, "not-seekable", "/position"),
      (#"{"volume": 1, "volume": 2}"#, 400, "malformed", nil), (#"{"volume": 1"#, 400, "malformed", nil),
      (#"{"volume": [[[[[[[[1]]]]]]]]}"#, 400, "too-large", nil),
    ] as [(String, Int, String, String?)])
  func refusals(_ body: String, _ status: Int, _ type: String, _ pointer: String?) async throws {
    let rig = try await APIRig()
    let reply = try await rig.ask("PATCH", "/api/v1/player", body)
    #expect(reply.status == status)
    #expect(reply.type == type)
    #expect(reply.pointer == pointer)
    #expect(reply.contentType == "application/problem+json")
    let untouched = try await APIRig()
    #expect(await rig.state() == untouched.state())
  }

  @Test func allOrNothing() async throws {
    let rig = try await APIRig(PlayerConfiguration(openHomeEnabled: false))
    let reply = try await rig.ask("PATCH", "/api/v1/player", #"{"volume": 10, "source": "radio"}"#)
    #expect(reply.status == 422)
    #expect(await rig.state().volume.step(of: .master) == 50)
  }

  @Test func valuesAreSetAtOnce() async throws {
    let rig = try await APIRig(PlayerConfiguration(volumeLimit: 60))
    let reply = try await rig.ask(
      "PATCH", "/api/v1/player",
      #"{"volume": 90, "muted": true, "balance": -3, "source": "radio", "repeat": true, "shuffle": true}"#)
    #expect(reply.status == 204)
    let state = await rig.state()
    #expect(state.volume.step(of: .master) == 60)
    #expect(state.volume.isMuted(.master))
    #expect(state.volume.balance == -3)
    #expect(state.activeSource == .radio)
    #expect(state.playlist.isRepeating && state.playlist.isShuffling)
    let shown = try #require(try await rig.ask("GET", "/api/v1/player").json)
    #expect(shown["volumeLimit"] == .number(60))
    #expect(shown["version"].map { "\($0)" } == reply["vireo-version"].map { "number(\($0).0)" })
  }

  @Test func versionsRiseWithChangesOnly() async throws {
    let rig = try await APIRig()
    func version() async throws -> JSONValue? { try await rig.ask("GET", "/api/v1/player").json?["version"] }
    let first = try await version()
    #expect(try await version() == first)
    try await rig.perform(.setVolume(.master, 50))
    #expect(try await version() == first)
    try await rig.perform(.setVolume(.master, 51))
    #expect(try await version() != first)
  }

  @Test func standbyAllowsNothingButWaking() async throws {
    let rig = try await APIRig()
    try await rig.fill(2)
    #expect(try await rig.ask("PATCH", "/api/v1/player", #"{"standby": true}"#).status == 204)
    #expect(try await rig.ask("POST", "/api/v1/player/next").type == "standby")
    #expect(try await rig.ask("POST", "/api/v1/player/pause").status == 409)
    #expect(try await rig.ask("PATCH", "/api/v1/player", #"{"source": "radio"}"#).status == 409)
    #expect(try await rig.ask("PATCH", "/api/v1/player", #"{"position": 1}"#).status == 409)
    #expect(
      try await rig.ask("PATCH", "/api/v1/player", #"{"standby": false, "source": "radio"}"#).status == 204)
    #expect(await !rig.state().isStandby)
  }

  @Test func whatCantBeIsRefused() async throws {
    let rig = try await APIRig()
    for command in ["play", "next", "previous", "toggle"] {
      #expect(try await rig.ask("POST", "/api/v1/player/\(command)").status == 409, "\(command)")
    }
    try await rig.fill(2)
    #expect(try await rig.ask("POST", "/api/v1/player/toggle").status == 204)
    #expect(await rig.state().transport.continuation == .playing)
    #expect(try await rig.ask("POST", "/api/v1/player/next").status == 204)
    #expect(await rig.state().playlist.currentID == 2)
    #expect(try await rig.ask("POST", "/api/v1/player/next").status == 409)
    #expect(try await rig.ask("POST", "/api/v1/player/stop").status == 204)
  }

  @Test func unknownPathsAndMethods() async throws {
    let rig = try await APIRig()
    for (method, path) in [
      ("GET", "/api/v1/nonsense"), ("GET", "/api/"), ("GET", "/api/v1/player/"), ("GET", "/apix"),
      ("GET", "/api/v1/queue/tracks//play"), ("PUT", "/api/v1/player"), ("GET", "/api/v2/player"),
    ] { #expect(try await rig.ask(method, path).status == 404, "\(method) \(path)") }
    #expect(try await rig.ask("HEAD", "/api/v1/player").status == 200)
    #expect(try await rig.ask("GET", "/api").json?["versions"] == .array([.string("v1")]))
    let description = try await rig.ask("GET", "/api/openapi.json")
    let limits = JSONLimits(bytes: 1 << 20, depth: 32, values: 1 << 20)
    let json = try JSONValue(reading: [UInt8](description.text.utf8), limits: limits)
    #expect(json["openapi"] == .string("3.1.0"))
  }

  /// The last resort; the metadata's own picture comes first.
  @Test func thePictureInsideTheFileIsShown() async throws {
    let rig = try await APIRig()
    for (metadata, art) in [("", "/art/embedded-3"), (Self.metadataWithArt, "/art/14")] {
      try await rig.perform(.av(.setMedia(Media(uri: "http://s/a.flac", metadata: metadata))), .av(.play))
      let id = try #require(await rig.state().transport.playID)
      await rig.player.receive(.started(id))
      await rig.player.receive(.tags(id, StreamTags(title: "A", picture: EmbeddedPicture([1, 2, 3]))))
      let track = try #require(try await rig.ask("GET", "/api/v1/player").json?["track"])
      #expect(track["art"] == .string(art))
      #expect(track["title"] == .string("A"))
    }
    try await rig.perform(.av(.setMedia(Media(uri: "http://s/b.flac"))))
    #expect(try await rig.ask("GET", "/api/v1/player").json?["track"]?["art"] == nil)
  }

  private static let metadataWithArt =
    #"<DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/" xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/" xmlns:dc="http://purl.org/dc/elements/1.1/"><item><dc:title>A</dc:title><upnp:albumArtURI>http://s/a.jpg</upnp:albumArtURI></item></DIDL-Lite>"#
}
