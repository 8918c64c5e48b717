import JSON
import Player
import Testing

@Suite struct QueueAPITests {
  private func ids(_ rig: APIRig) async -> [UInt32] { await rig.state().playlist.tracks.ids }

  @Test func tracksAreInserted() async throws {
    let rig = try await APIRig()
    let body =
      #"{"tracks": [{"uri": "http://s/a", "title": "A & <b>", "artist": "X", "album": "Y", "seconds": 61.5, "art": "http://s/a.png"}, {"uri": "http://s/b.flac"}]}"#
    let reply = try await rig.ask("POST", "/api/v1/queue/tracks", body)
    #expect(reply.text == #"{"added":2,"left":0}"#)
    let tracks = try await rig.ask("GET", "/api/v1/queue/tracks?ids=2,9,1")
    #expect(
      tracks.text
        == #"{"tracks":[{"id":2,"uri":"http://s/b.flac","title":"b.flac"},{"id":1,"uri":"http://s/a","title":"A & <b>","artist":"X","album":"Y","seconds":61.5,"art":"/art/14"}]}"#
    )
    let queue = try #require(try await rig.ask("GET", "/api/v1/queue").json)
    #expect(queue["seconds"] == .number(61.5))
    #expect(queue["ids"] == .array([.number(1), .number(2)]))
    #expect(queue["undo"] == .string("Adding 2 tracks"))
  }

  @Test(arguments: ["a", "-1", "1,,2", "42949672960", "+1", "", "1;2", "%", "%ff"])
  func idsAreChecked(_ ids: String) async throws {
    #expect(try await APIRig().ask("GET", "/api/v1/queue/tracks?ids=\(ids)").status == 422)
  }

  @Test func parametersAreChecked() async throws {
    let rig = try await APIRig()
    #expect(try await rig.ask("GET", "/api/v1/queue/tracks").type == "missing-parameter")
    #expect(try await rig.ask("GET", "/api/v1/queue/tracks?ids=1&x=1").type == "unknown-parameter")
    #expect(try await rig.ask("GET", "/api/v1/queue/tracks?ids=1&ids=2").type == "duplicate-parameter")
    let many = (0...100).map(String.init).joined(separator: ",")
    #expect(try await rig.ask("GET", "/api/v1/queue/tracks?ids=\(many)").status == 422)
    #expect(try await rig.ask("GET", "/api/v1/queue/tracks?ids=1%2C2").status == 200)
    #expect(try await rig.ask("DELETE", "/api/v1/queue/tracks/x").status == 422)
    #expect(try await rig.ask("DELETE", "/api/v1/queue/tracks/1").status == 404)
  }

  @Test func editsAreTakenBack() async throws {
    let rig = try await APIRig()
    try await rig.fill(4)
    #expect(try await rig.ask("POST", "/api/v1/queue/undo").status == 409, "nobody edited it here")
    #expect(try await rig.ask("POST", "/api/v1/queue/move", #"{"ids": [4, 2], "after": 0}"#).status == 204)
    #expect(await ids(rig) == [4, 2, 1, 3])
    #expect(try await rig.ask("POST", "/api/v1/queue/remove", #"{"ids": [2, 1]}"#).status == 204)
    #expect(await ids(rig) == [4, 3])
    #expect(try await rig.ask("POST", "/api/v1/queue/undo").status == 204)
    #expect(await ids(rig) == [4, 2, 1, 3])
    #expect(try await rig.ask("POST", "/api/v1/queue/undo").status == 409, "only the last one")
    #expect(try await rig.ask("DELETE", "/api/v1/queue").status == 204)
    #expect(try await rig.ask("POST", "/api/v1/queue/undo").status == 204)
    #expect(await ids(rig) == [4, 2, 1, 3])
  }

  @Test func undoingTakesNothingOfOthersBack() async throws {
    let rig = try await APIRig()
    try await rig.fill(3)
    #expect(try await rig.ask("DELETE", "/api/v1/queue/tracks/2").status == 204)
    #expect(try await rig.ask("GET", "/api/v1/queue").json?["undo"] == .string("Removing 1 track"))
    try await rig.perform(.playlist(.delete(1)))
    #expect(try await rig.ask("GET", "/api/v1/queue").json?["undo"] == nil)
    #expect(try await rig.ask("POST", "/api/v1/queue/undo").status == 409)
    #expect(await ids(rig) == [3])
  }

  @Test func whoEditsAnOldQueueIsTold() async throws {
    let rig = try await APIRig()
    try await rig.fill(3)
    let token = await rig.state().playlist.token
    for match in ["\(token)", "\"\(token)\"", "*"] {
      #expect(
        try await rig.ask(
          "POST", "/api/v1/queue/move", #"{"ids": [1], "after": 0}"#, fields: [("if-match", match)]
        )
        .status == 204)
    }
    let reply = try await rig.ask("DELETE", "/api/v1/queue", fields: [("if-match", "\(token + 1)")])
    #expect(reply.status == 412)
    #expect(reply.type == "queue-changed")
    #expect(await ids(rig) == [1, 2, 3])
  }

  @Test(arguments: [
    ("move", #"{"ids": [1, 1], "after": 0}"#, 422), ("move", #"{"ids": [1], "after": 1}"#, 422),
    ("move", #"{"ids": [9], "after": 1}"#, 404), ("move", #"{"ids": [], "after": 1}"#, 422),
    ("move", #"{"ids": [1]}"#, 422), ("remove", #"{"ids": [1, 1]}"#, 422), ("remove", #"{"ids": [0]}"#, 422),
    ("remove", #"{"ids": [1, 9]}"#, 404),
    ("tracks", #"{"tracks": [{"uri": "file:///etc/passwd"}]}"#, 422),
    ("tracks", #"{"tracks": [{"title": "a"}]}"#, 422), ("tracks", #"{"tracks": [{"uri": ""}]}"#, 422),
    ("tracks", #"{"tracks": [{"uri": "http://s/a"}], "after": 9}"#, 404),
  ]) func refusals(_ path: String, _ body: String, _ status: Int) async throws {
    let rig = try await APIRig()
    try await rig.fill(3)
    #expect(try await rig.ask("POST", "/api/v1/queue/\(path)", body).status == status)
    #expect(await ids(rig) == [1, 2, 3])
  }

  @Test func aFullQueueSaysWhatWasLeftOut() async throws {
    let rig = try await APIRig(PlayerConfiguration(tracksMax: 3))
    try await rig.fill(2)
    let body = #"{"tracks": [{"uri": "http://s/a"}, {"uri": "http://s/b"}]}"#
    let reply = try await rig.ask("POST", "/api/v1/queue/tracks", body)
    #expect(reply.text == #"{"added":1,"left":1,"detail":"1 didn't fit: the queue is full."}"#)
    #expect(try await rig.ask("POST", "/api/v1/queue/tracks", body).type == "queue-full")
  }

  @Test func aTrackIsPlayed() async throws {
    let rig = try await APIRig()
    try await rig.fill(3)
    #expect(try await rig.ask("POST", "/api/v1/queue/tracks/2/play").status == 204)
    #expect(await rig.state().playlist.currentID == 2)
    #expect(await rig.state().transport.continuation == .playing)
    #expect(try await rig.ask("POST", "/api/v1/queue/tracks/7/play").status == 404)
  }
}
